"""Counts how common words, frames and exception types are in general: ``python -m index.training.background ARTICLES... -o RULES``.

A young knowledge base takes its idea of *rare* from these counts (`index.terms.frequencies`). Only shares of documents are
written, of tokens that stand in at least three documents; no sentence of any article. Words are counted per language
and the larger share is taken: a word that every English text has is common, however few texts are English.
"""

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from index.entry import normalised_chains, texts_of
from index.terms import tokens
from index.terms.sketch import frame_tokens
from kb.article import read_article
from kb.incident import Incident

LEAST_DOCUMENTS = 3
LEAST_SHARE = 0.006
"""Rarer tokens are as good as unseen."""


def incidents_of(folders: Iterable[Path]) -> Iterator[Incident]:
    """Every incident of every article below the folders, in the order of their paths."""
    for folder in folders:
        for path in sorted(p for p in folder.rglob("*") if p.is_file()):
            yield from read_article(path.read_bytes(), str(path.relative_to(folder))).incidents


def count(incidents: Iterable[Incident]) -> tuple[dict[str, float], dict[str, float]]:
    """(words, frames): token → share of documents."""
    words: defaultdict[str, Counter[str]] = defaultdict(Counter)
    documents: Counter[str] = Counter()
    frames: Counter[str] = Counter()
    traced = 0
    for incident in incidents:
        chains = normalised_chains(incident)
        documents[incident.lang] += 1
        words[incident.lang].update(set(tokens.index_terms(texts_of(incident, chains).whole)))
        if any(e.stack.frames for chain in chains for e in chain.exceptions):
            traced += 1
            frames.update({token for chain in chains for token in frame_tokens(chain)})
    shares: dict[str, float] = {}
    for lang, counts in words.items():
        for token, n in counts.items():
            if n >= LEAST_DOCUMENTS and documents[lang] >= 100:
                shares[token] = max(shares.get(token, 0.0), n / documents[lang])
    return shares, {token: n / traced for token, n in frames.items() if n >= LEAST_DOCUMENTS}


def write(path: Path, shares: dict[str, float], what: str) -> None:
    """The counts as lines ``token<TAB>share``, the commonest first."""
    lines = [f"# {what}: share of documents, the commonest first. Written by index.training.background"]
    kept = ((token, share) for token, share in shares.items() if share >= LEAST_SHARE and not token.isspace())
    lines += [f"{token}\t{share:.4f}" for token, share in sorted(kept, key=lambda pair: (-pair[1], pair[0]))]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("articles", type=Path, nargs="+", help="folders of articles")
    parser.add_argument("-o", "--out", type=Path, required=True, help="folder that gets the two files")
    arguments = parser.parse_args()
    words, frames = count(incidents_of(arguments.articles))
    write(arguments.out / "background_words.tsv", words, "words of troubleshooting articles")
    write(
        arguments.out / "background_frames.tsv",
        frames,
        "frames (f:), types (t:) and root types (r:) of traces in articles",
    )


if __name__ == "__main__":
    main()
