"""How package managers print an error."""

import re

from kb.trace.messages.form import MessageForm, Severity

_MESSAGE = r"(?P<message>\S.*)"
_NPM = r"npm (?:ERR!|error) "
"""npm up to 9, npm from 10 on: every line of an error begins so."""
_LABEL = r"(?:notarget |404 {1,2}|ERESOLVE |JSON\.parse (?:Invalid package\.json: JSONParseError: )?|eno\w{1,10} |engine |notsup |enoself |Error: )?"
"""What npm puts behind it, the code once more in small letters."""
_GAP = "[\u2009\\s]{1,4}"
"""pnpm prints a thin space beside its codes."""

_NODE = (
    # `npm ERR! code ETARGET`, the message below, behind `path`, `syscall` and `errno`
    MessageForm(
        "npm",
        re.compile(_NPM + r"code (?P<type>ELIFECYCLE)$"),
        Severity.SUMMARY,
        below=re.compile(_NPM + r"(?!errno |path |Exit )(?P<message>\S.*)"),
    ),
    MessageForm(
        "npm",
        re.compile(_NPM + r"code \d{1,3}$"),
        Severity.SUMMARY,
        below=re.compile(_NPM + r"(?P<message>command \S.*)"),
    ),
    MessageForm(
        "npm",
        re.compile(_NPM + r"code (?P<type>[A-Z][A-Z0-9_]{2,40})$"),
        below=re.compile(_NPM + r"(?!errno |path |dest |syscall |network This |cwd |command )" + _LABEL + _MESSAGE),
    ),
    # node-gyp, alone and under npm; `stack     at …` are frames
    MessageForm(
        "node-gyp",
        re.compile(r"(?:" + _NPM + r")?gyp ERR! stack (?:Error: |(?P<type>[A-Z]\w{1,60}Error): )" + _MESSAGE),
    ),
    MessageForm(
        "node-gyp",
        re.compile(
            r"(?:" + _NPM + r")?gyp ERR! (?P<message>(?:build|configure|rebuild|install|clean) error\b.*|not ok.*)"
        ),
        Severity.SUMMARY,
    ),
    MessageForm(
        "npm",
        re.compile(
            _NPM
            + r"(?P<message>Exit status \d.*|Lifecycle script .*|Failed at the .*|Test failed\..*|command (?:failed|sh |bash |C:).*)"
        ),
        Severity.SUMMARY,
    ),
    # a paste that begins behind the code
    MessageForm(
        "npm",
        re.compile(
            _NPM
            + r"(?!code |errno |path |dest |syscall |cwd |argv |node |npm |node_modules/|command |System |gyp |make|sh: |at |\d|A complete log |This is probably |There is likely |To see a list |For a full report |If you are behind |Please "
            r"|Fix the upstream |this command |to accept |Found: |While resolving: |network In most |network '|network This |Usage|Options|Run )"
            + _LABEL
            + r"(?P<message>(?:[A-Z]\S*|request to|peer dep missing:|missing:|extraneous:|invalid:) \S.*)"
        ),
    ),
    MessageForm(
        "npm", re.compile(r"npm (?:WARN|warn) (?:deprecated |(?P<type>E[A-Z]{3,30}) )?" + _MESSAGE), Severity.WARNING
    ),
    # Yarn 1 prints `error ` before its sentences, src/reporters/lang/en.js
    MessageForm(
        "yarn", re.compile(r"error (?P<message>Command failed with .*|Found incompatible module\.)"), Severity.SUMMARY
    ),
    MessageForm(
        "yarn",
        re.compile(
            r"error (?P<message>(?:An unexpected error occurred: |Couldn't |Command \"|Your lockfile |Received |Outdated lockfile|Integrity check |Lockfile |Incorrect |Invalid |Missing |Package \"|Running this command |No "
            r"|\S{1,200}@[\w.^~-]{1,60}: The (?:engine|platform|CPU) |[\w./@-]{1,300}: Command failed|\"\S{1,200}\" is )\S?.*)"
        ),
    ),
    # Yarn from 2 on, "Error Codes" of its handbook. Left out: codes that only tell (YN0000, YN0013) or warn (YN0002, YN0060)
    MessageForm(
        "yarn",
        re.compile(
            r"(?:➤ )?(?P<type>YN(?!00(?:00|0[2-8]|13|19|32|6[018]|69|76|86))\d{4}): {1,2}(?:[│├└┌] {1,3})?(?:Error: )?"
            + _MESSAGE
        ),
    ),
    # pnpm: ` ERR_PNPM_NO_LOCKFILE  Cannot install with "frozen-lockfile" …`
    MessageForm("pnpm", re.compile(r"(?:\[?)(?P<type>ERR_PNPM_[A-Z0-9_]{1,60})\]?" + _GAP + _MESSAGE)),
    MessageForm(
        "pnpm",
        re.compile(r"(?P<type>ELIFECYCLE)" + _GAP + r"(?P<message>(?:Command|Test) failed.*)"),
        Severity.SUMMARY,
    ),
)

_PYTHON = (
    MessageForm(
        "pip",
        re.compile(
            r"error: (?P<message>subprocess-exited-with-error|metadata-generation-failed|legacy-install-failure|command '[^']{1,200}' failed with exit .*)"
        ),
        Severity.SUMMARY,
    ),
    MessageForm(
        "pip",
        re.compile(
            r"ERROR: (?P<message>ResolutionImpossible: .*|Command errored out with exit status .*|Failed to build (?:installable wheels |'|[\w.-]{1,100}$).*|Failed building wheel for .*|Could not build wheels for .*)"
        ),
        Severity.SUMMARY,
    ),
    MessageForm("setuptools", re.compile(r"error in [\w.-]{1,100} setup command: " + _MESSAGE)),
    # pubgrub's report, of uv, Poetry, Dart's pub and Bundler: `Because shop depends on … version solving failed.`
    MessageForm(
        "uv",
        re.compile(r"(?:error: |× )No solution found when resolving .*"),
        below=re.compile(r"(?:cause: |╰─▶ )(?P<message>\S.*)"),
    ),
    MessageForm(
        "pubgrub",
        re.compile(
            r"(?P<message>(?:Because|So, because|And because|Since) [^\n]{1,2000}(?:version solving (?:has )?failed\.|requirements are unsatisfiable\.|cannot be used\.))"
        ),
    ),
    MessageForm(
        "poetry",
        re.compile(
            r"(?P<message>(?:Poetry could not find a pyproject\.toml file|Current Python version \(|The current project's (?:supported )?Python requirement |The currently activated Python version |pyproject\.toml changed significantly since poetry\.lock ).*)"
        ),
    ),
    # conda names its exceptions, conda/exceptions.py
    MessageForm(
        "conda",
        re.compile(
            r"(?P<type>PackagesNotFoundError|ResolvePackageNotFound|(?:LibMamba)?UnsatisfiableError|SpecsConfigurationConflictError|UnavailableInvalidChannel|EnvironmentNotWritableError|NoWritable(?:Envs|Pkgs)DirError|EnvironmentLocationNotFound"
            r"|InvalidArchiveError|ChecksumMismatchError|NoBaseEnvironmentError|EnvironmentFileNotFound|Conda[A-Z]\w{1,40}Error): ?"
            + _MESSAGE
        ),
    ),
)

_SYSTEM = (
    # apt: `E: Unable to locate package x`; held back by what it says of the dependencies above
    MessageForm("apt", re.compile(r"(?P<message>[a-z0-9][\w.+-]{1,100}(?::\w{1,10})? : (?:Pre)?Depends: .*)")),
    MessageForm(
        "apt",
        re.compile(
            r"E: (?P<message>Sub-process \S.*|Unable to correct problems.*|Some index files failed .*|Unable to fetch some archives.*|Unmet dependencies\..*|Failed to fetch some archives.*)"
        ),
        Severity.SUMMARY,
    ),
    MessageForm("apt", re.compile(r"E: (?P<message>[A-Z][\w'-]* \S.*|\S{1,200}: \S.*|dpkg was interrupted.*)")),
    MessageForm("apt", re.compile(r"W: (?P<message>[A-Z][\w'-]* \S.*)"), Severity.WARNING),
    MessageForm(
        "dpkg",
        re.compile(r"dpkg(?:-[a-z]{1,20})?: (?:error: |unrecoverable fatal error, aborting:)" + r" ?(?P<message>\S.*)"),
    ),
    MessageForm("dpkg", re.compile(r"dpkg: (?P<message>(?:error processing |dependency problems ).*)")),
    # dnf, yum, zypper
    MessageForm(
        "dnf",
        re.compile(
            r"(?P<message>(?:No match for argument: |No package \S{1,200} available\.|Error: Package: |Public key for \S{1,200} is not installed).*)"
        ),
    ),
    MessageForm(
        "dnf", re.compile(r"(?P<message>Errors during downloading metadata for repository .*)"), Severity.SUMMARY
    ),
    MessageForm("dnf", re.compile(r"Error: (?P<message>Unable to find a match: .*|Nothing to do)$"), Severity.SUMMARY),
    # what librepo and yum say of a mirror: `- Curl error (6): Couldn't resolve host name for …`
    MessageForm("dnf", re.compile(r"(?:- )?(?P<type>Curl error \(\d{1,3}\)): " + _MESSAGE)),
    MessageForm("dnf", re.compile(r"[^\s]{1,300}: (?P<type>\[Errno \d{1,3}\]) (?P<message>(?:curl#\d|HTTP Error ).*)")),
    MessageForm("dnf", re.compile(r"(?P<message>Cannot find a valid baseurl for repo: .*)")),
    # apk-tools: `ERROR: unable to select packages:`, then `shop-utils (no such package):`
    MessageForm(
        "apk",
        re.compile(r"ERROR: unable to select packages:"),
        below=re.compile(r"(?P<message>[\w.+-]{1,200}(?: \([^()\n]{1,100}\)| [^\n:]{1,200})?)(?::|$)"),
    ),
)

_OTHERS = (
    MessageForm("gem", re.compile(r"ERROR: {1,2}(?P<message>Error installing .*)"), Severity.SUMMARY),
    MessageForm(
        "gem",
        re.compile(r"ERROR: {1,2}While executing gem \.\.\. \((?P<type>[\w:]{1,100})\)"),
        below=re.compile(_MESSAGE),
    ),
    MessageForm(
        "bundler",
        re.compile(
            r"(?P<message>(?:Could not (?:find (?:gem '|\S{1,200} in (?:any of the sources|locally installed gems|cached gems))|fetch specs from |locate Gemfile|reach host )|Bundler could not find compatible versions for gem |Your Ruby version is |The bundle currently has |Your bundle is locked to ).*)"
        ),
    ),
    MessageForm(
        "bundler",
        re.compile(r"(?P<message>An error occurred while installing \S.* cannot continue\..*)"),
        Severity.SUMMARY,
    ),
    # Composer: a list of problems under a headline; its own exceptions as the Symfony console prints them
    MessageForm(
        "composer",
        re.compile(r"(?P<message>Your requirements could not be resolved to an installable set of packages\.)"),
        Severity.SUMMARY,
    ),
    MessageForm(
        "composer",
        re.compile(
            r"(?:- )?(?P<message>(?:Root composer\.json requires? |[\w.-]{1,100}/[\w.-]{1,100}(?:\[[^\]\n]{1,300}\])?(?: \S{1,60})? requires? )(?:[^-\n]|-(?!> satisfiable by))++)$"
        ),
    ),
    MessageForm("composer", re.compile(r"(?P<message>Composer could not find a composer\.json file in .*)")),
    MessageForm("symfony", re.compile(r"In [\w.]{1,100}\.php line \d{1,6}:$"), below=re.compile(_MESSAGE)),
)

FORMS: tuple[MessageForm, ...] = (*_NODE, *_PYTHON, *_SYSTEM, *_OTHERS)
"""Tried in this order; the first form that fits a line decides what the line is."""
