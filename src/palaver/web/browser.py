"""Showing an address in the person's browser, without putting its token on a command line.

Other users can read command lines. So the browser is given a small file of our own, which nobody else can
read and which leads on to the address.
"""

import webbrowser
from html import escape

from palaver.bus.root import Root
from palaver.files.atomic_replace import replace


def show(root: Root, address: str) -> bool:
    """Open the address; tell whether a browser was found."""
    path = root.path + "/open.html"
    page = (
        f'<!doctype html><meta http-equiv="refresh" content="0; url={escape(address)}"><title>Palaver</title>'
    )
    replace(path, page.encode())
    return webbrowser.open(f"file://{path}")
