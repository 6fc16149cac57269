"""What the built-in model was taught to draw, as its README names it, and captions made of that."""

import random
import re

from built_in import folder


def _list(start: str) -> list[str]:
    readme = (folder / "README.md").read_text()
    return re.search(rf"{start} ([^.]*)\.", readme)[1].split(", ")


things = _list("Things it was taught:")
backgrounds = _list("Backgrounds:")


def caption(thing: str, style: str | None, background: str | None) -> str:
    if style == "flat":
        return f"{thing}, flat style" + (f", on a {background} background" if background else "")
    return f"a {style} {thing}" * (style is not None) + thing * (style is None) + (f" on a {background} background" if background else "")


def random_parts(chance: random.Random) -> tuple[str, str | None, str | None]:
    """A thing, a style or none, a background or none."""
    style = chance.choice(["glossy", "glossy", "glossy", "flat", "flat", None])
    return chance.choice(things), style, chance.choice(backgrounds) if chance.random() < 0.9 else None
