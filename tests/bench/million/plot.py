"""Time against size on logarithmic axes, drawn as an SVG without a plotting library."""

import math
from collections.abc import Mapping, Sequence
from html import escape

_WIDTH, _HEIGHT, _LEFT, _RIGHT, _EDGE = 560, 340, 64, 150, 40
_COLOURS = ("#1f4e9c", "#c0392b", "#1e8449", "#b9770e", "#6c3483")

Points = Sequence[tuple[float, float]]


def drawing(lines: Mapping[str, Points], title: str) -> str:
    """(size, milliseconds) of each line."""
    every = [point for points in lines.values() for point in points]
    sizes, times = [size for size, _ in every], [taken for _, taken in every]
    low, high = math.floor(math.log10(min(times))), math.ceil(math.log10(max(times)))
    first, last = math.log10(min(sizes)), math.log10(max(sizes))

    def at(size: float, taken: float) -> tuple[float, float]:
        across = (math.log10(size) - first) / ((last - first) or 1)
        up = (math.log10(taken) - low) / ((high - low) or 1)
        return _LEFT + across * (_WIDTH - _LEFT - _RIGHT), _HEIGHT - _EDGE - up * (_HEIGHT - 2 * _EDGE)

    parts = [f'<text x="{_LEFT}" y="22" font-size="14">{escape(title)}</text>']
    for power in range(low, high + 1):
        _, y = at(min(sizes), 10.0**power)
        parts.append(f'<line x1="{_LEFT}" y1="{y:.1f}" x2="{_WIDTH - _RIGHT}" y2="{y:.1f}" stroke="#ddd"/>')
        parts.append(f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{10.0**power:g} ms</text>')
    for size in sorted(set(sizes)):
        x, _ = at(size, 10.0**low)
        parts.append(f'<text x="{x:.1f}" y="{_HEIGHT - _EDGE + 18}" text-anchor="middle">{int(size):,}</text>')
    for colour, (name, points) in zip(_COLOURS, lines.items(), strict=False):
        places = [at(*point) for point in sorted(points)]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        x, y = places[-1]
        parts.append(f'<text x="{x + 6:.1f}" y="{y + 4:.1f}" fill="{colour}">{escape(name)}</text>')
    inner = "\n".join(parts)
    style = 'font-family="sans-serif" font-size="12"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" {style}>\n<rect width="100%" height="100%" fill="#fff"/>\n{inner}\n</svg>\n'
