"""Pictures that tests draw: lines of words, with a box where something changed."""

from __future__ import annotations

from io import BytesIO
from typing import Any

from PIL import Image, ImageDraw

Drawing = Any  # an image of Pillow's


def drawn(words: str = "Hello", *, box: bool = False, size: tuple[int, int] = (800, 600)) -> Drawing:
    """Lines of words, with a box at the top right."""
    image = Image.new("RGB", size, "white")
    pen = ImageDraw.Draw(image)
    for line in range(20):
        pen.text((30, 20 + line * 28), f"{words} number {line} of a line that goes on for some more words", fill="black")
    if box:
        pen.rectangle((size[0] - 200, 20, size[0] - 20, 120), fill="orange")
    return image


def saved(image: Drawing, form: str = "PNG", **options: object) -> bytes:
    """The bytes of a file."""
    file = BytesIO()
    image.save(file, form, **options)
    return file.getvalue()


def scan(*pages: Drawing, title: str = "A scan") -> bytes:
    """A PDF whose pages are pictures."""
    return saved(pages[0], "PDF", save_all=True, append_images=pages[1:], resolution=100, title=title)
