"""From light to picture: denoising, exposure and tone, in plain numpy.

A raw picture is a file of numpy arrays that render.py adds to: the means of two independent half renders, and the guides
(albedo, normals, where the floor is) that belong to them.
"""
import os
import numpy as np
from denoise import calm, denoise

# the page colours that the studios run into
ASPHALT = np.array((11, 12, 13), np.float32) / 255
PAPER = np.array((231, 229, 225), np.float32) / 255
# how much richer the colours are than the curve leaves them
SATURATION = 1.12
KEYS = ('a', 'b', 'albedo', 'normal', 'floor', 'alpha')


def add_pass(file, new, spp):
    """Adds one pass of `spp` samples to the raw picture in `file`; a reader never sees half a file."""
    total = spp
    if os.path.exists(file):
        old = np.load(file)
        total += int(old['spp'])
        new = {k: old[k].astype(np.float32) + (new[k] - old[k].astype(np.float32)) * (spp / total) for k in KEYS if k in old}
    draft = file + '.tmp.npz'
    np.savez(draft, spp=total, **{k: np.clip(v, -60000, 60000).astype(np.float16) for k, v in new.items()})
    os.replace(draft, file)


def halved(a):
    """Mean of each square of four pixels."""
    h, w = a.shape[0] // 2 * 2, a.shape[1] // 2 * 2
    a = a[:h, :w].astype(np.float32)
    return (a[::2, ::2] + a[1::2, ::2] + a[::2, 1::2] + a[1::2, 1::2]) / 4


def tone(c):
    """Scene light to display light: a photographic curve, by channel (Narkowicz's fit of ACES)."""
    c = np.maximum(c, 0)
    return np.clip(c * (2.51 * c + .03) / (c * (2.43 * c + .59) + .14), 0, 1)


def untone(v):
    """The light that `tone` shows as v."""
    lo, hi = 0.0, 20.0
    for _ in range(50):
        mid = (lo + hi) / 2
        lo, hi = (mid, hi) if tone(np.float32(mid)) < v else (lo, mid)
    return lo


def encode(v):
    """Display light to sRGB."""
    return np.where(v <= .0031308, v * 12.92, 1.055 * np.maximum(v, 1e-6) ** (1 / 2.4) - .055)


def decode(v):
    return np.where(v <= .04045, v / 12.92, ((v + .055) / 1.055) ** 2.4)


def backdrop(c):
    """Median light along the upper edge, where there is only the studio."""
    h = max(2, c.shape[0] // 40)
    return np.median(c[:h].reshape(-1, c.shape[-1]), axis=0)


def develop(raw, ground, ev=0.0, half=False, clean=True):
    """A raw picture as sRGB in 0..1, and its alpha. A light ground gets the page's colour exactly; a dark one begins there."""
    spp = int(raw['spp'])
    raw = {k: (halved(raw[k]) if half else raw[k].astype(np.float32)) for k in KEYS if k in raw}
    cut = 'alpha' in raw
    if clean:
        floor = None if cut else raw['floor'] > .5
        c = denoise(raw['a'], raw['b'], raw['albedo'], raw['normal'], spp, floor)
        if ground == 'light' and not cut:
            # nothing but a soft gradient is on the wall
            wall = (np.abs(raw['albedo'] - backdrop(raw['albedo'])).max(-1) < .02) & ~floor
            c = calm(c, wall, 9, 3)
    else:
        c = (raw['a'] + raw['b']) / 2
    if ground == 'light' and not cut:
        want = np.array([untone(v) for v in decode(PAPER)])
        c = c * (want / np.maximum(backdrop(c), 1e-4)) * 2 ** ev
    else:
        c = c * 2 ** ev
    out = encode(tone(c)).astype(np.float32)
    grey = (out * (.2126, .7152, .0722)).sum(-1, keepdims=True)
    out = np.clip(grey + (out - grey) * SATURATION, 0, 1)
    if ground == 'light' and not cut:
        out = out * (PAPER / np.maximum(backdrop(out), .2))
    if ground == 'dark':
        out = ASPHALT + out * (1 - ASPHALT)
    return out, raw.get('alpha')
