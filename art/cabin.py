"""What one sees through the windows: seats, dashboard, steering wheel, screens, door trim."""
import math
import bpy
from mathutils import Vector
from shapes import blob, box, lathe, obj_from, simple, tube


def seat(x, y, z, leather, shell, seam, k=1.0):
    """A bucket with bolsters and a headrest; it looks towards the nose (-x). k shortens the back under a low roof."""
    lean = math.radians(17)
    c, s = math.cos(lean), math.sin(lean)

    def at(along, out=0.0):
        """A point of the backrest: `along` up its length, `out` in front of it."""
        return (x + .26 + k * along * s - out * c, z + .10 + k * along * c + out * s * .6)
    blob('cushion', (x, y, z), (.29, .20, .085), .5, leather, (0, math.radians(-7), 0))
    for sg in (-1, 1):
        blob('bolster', (x - .01, y + sg * .205, z + .025), (.27, .062, .085), .6, leather, (0, math.radians(-7), 0))
    bx, bz = at(.30)
    blob('back', (bx, y, bz), (.075, .20, .34 * k), .5, leather, (0, lean, 0))
    for sg in (-1, 1):
        wx, wz = at(.24, .045)
        blob('wing', (wx, y + sg * .195, wz), (.085, .062, .26 * k), .6, leather, (0, lean, math.radians(-8 * sg)))
    sx, sz = at(.30, -.035)
    blob('shell', (sx, y, sz), (.075, .225, .36 * k), .5, shell, (0, lean, 0))
    hx, hz = at(.74, .02)
    blob('headrest', (hx, y, hz), (.055, .135, .095 * k), .55, leather, (0, lean * .6, 0))
    for sg in (-1, 1):
        px, pz = at(.62)
        tube('post', [(px, y + sg * .06, pz), (hx + .01, y + sg * .06, hz)], .007, simple('steel', '#9a9da1', .2, 1))
    for dy in (-.085, .085):
        pts = [at(a, .076 - .02 * abs(a - .3)) for a in (.06, .2, .34, .48, .60)]
        tube('seam', [(px, y + dy, pz) for px, pz in pts], .0035, seam, 6)


def steering_wheel(x, y, z, leather, metal, gloss):
    """A rim with a flat lower edge, three spokes, a hub and a column."""
    e = bpy.data.objects.new('steering', None)
    bpy.context.collection.objects.link(e)
    ring = []
    for k in range(64):
        a = 2 * math.pi * k / 64
        ring.append((0, .182 * math.cos(a), max(.182 * math.sin(a), -.152)))
    parts = [tube('wheel_rim', ring, .0155, leather, 14, closed=True),
             blob('wheel_hub', (.012, 0, -.004), (.032, .068, .056), .55, leather),
             lathe('wheel_mark', [(.001, .002), (.020, .002), (.022, 0), (.022, -.004)], metal, 40)]
    parts[-1].rotation_euler = (0, 0, math.pi / 2)
    parts[-1].location = (-.0, 0, 0)
    parts[-1].location.x = .045
    for a, w in ((8, .034), (172, .034), (270, .046)):
        r = math.radians(a)
        d = (math.cos(r), math.sin(r))
        n = .09 if a != 270 else .075
        o = box('spoke', (.010, d[0] * (.05 + n / 2 + .03), d[1] * (.05 + n / 2 + .03)), (.016, n + .03, w), metal if a == 270 else gloss, .006, (r, 0, 0))
        parts.append(o)
    for o in parts:
        o.parent = e
    # the driver sits behind it (+x): the rim leans towards the windscreen at its top
    e.location = (x, y, z)
    e.rotation_euler = (0, math.radians(-24), 0)
    tube('column', [(x - .02, y, z), (x - .30, y, z - .13)], .035, gloss)
    return e


def screen(name, loc, size, rot, kind):
    """A display with a few lit lines, as an emissive picture made by nodes would be: cheap geometry instead."""
    glass = simple('screen_glass', '#020203', .04, coat=1)
    box(name, loc, (.014, size[0], size[1]), glass, .006, rot)
    e = bpy.data.objects.new(name, None)
    bpy.context.collection.objects.link(e)
    cool = simple('lit_cool', '#000000', .5, emit='#9fc4ff', strength=1.6)
    warm = simple('lit_warm', '#000000', .5, emit='#ffb070', strength=1.6)
    paper = simple('lit_paper', '#000000', .5, emit='#e9eefc', strength=1.5)
    deep = simple('lit_deep', '#000000', .5, emit='#16233f', strength=1.0)
    w, h = size
    items = [((0, 0), (w * .94, h * .88), deep, .0002)]
    if kind == 'dials':
        for sg in (-1, 1):
            ring = [(0, sg * w * .28 + .33 * h * math.cos(a), .33 * h * math.sin(a)) for a in [math.radians(-50 + 280 * k / 40) for k in range(41)]]
            o = tube('dial', [(.0085, y, z) for _, y, z in ring], .0018, cool if sg < 0 else warm, 6)
            o.parent = e
            items += [((sg * w * .28, .04 * h), (.2 * h, .10 * h), paper, .0006)]
        items += [((0, .16 * h), (.16 * w, .05 * h), paper, .0006), ((0, -.02 * h), (.10 * w, .03 * h), cool, .0006), ((0, -.26 * h), (.16 * w, .02 * h), cool, .0006)]
    else:
        road = [(.0085, -w * .34 + w * .5 * t, -h * .3 + h * .6 * t + .12 * h * math.sin(5 * t)) for t in [k / 24 for k in range(25)]]
        o = tube('route', road, .0022, cool, 6)
        o.parent = e
        for k in range(4):
            items.append(((w * .34, h * (.30 - .19 * k)), (w * .20, h * .035), paper if not k else cool, .0006))
        items.append(((-w * .2, -h * .40), (w * .45, h * .02), warm, .0006))
    for (cy_, cz), (sy, sz), m, dx in items:
        o = obj_from('lit', [(.0078 + dx, cy_ - sy / 2, cz - sz / 2), (.0078 + dx, cy_ + sy / 2, cz - sz / 2), (.0078 + dx, cy_ + sy / 2, cz + sz / 2), (.0078 + dx, cy_ - sy / 2, cz + sz / 2)], [(0, 1, 2, 3)], m, smooth=False)
        o.parent = e
    e.location = loc
    e.rotation_euler = rot


def cabin(P, S):
    """The whole inside, from the measures of the car."""
    leather = simple('leather_' + P['interior'], P['interior'], .48, spec=.4)
    seam = simple('seam_' + P['seam'], P['seam'], .6)
    dark = simple('trim_dark', P.get('trim_dark', '#1a1a1b'), .62, spec=.3)
    soft = simple('trim_soft', P.get('trim_soft', '#2b2a29'), .7, spec=.25)
    gloss = simple('gloss_black', '#060606', .15)
    metal = simple('trim_metal', '#a9abae', .28, 1)
    accent = simple('trim_accent_' + P.get('accent', '#4b3626'), P.get('accent', '#4b3626'), .32, P.get('accent_metal', 0), coat=.6)
    cx, fz, L, W = P['seat_x'], P.get('seat_z', .38), P['L'], P['W']
    fit = min(1.0, (float(S.roof(cx + .47)) - .09 - (fz + .16)) / .81)
    out = .33 if W < 1.85 else .37
    for sg in (-1, 1):
        seat(cx, sg * out, fz + .06, leather, dark, seam, fit)
    if P.get('rear_seats'):
        rx = cx + .86
        blob('bench', (rx, 0, fz + .07), (.27, W * .34, .09), .4, leather)
        blob('bench_back', (rx + .32, 0, fz + .40), (.09, W * .34, .33), .4, leather, (0, math.radians(18), 0))
        for sg in (-1, 0, 1):
            blob('bench_head', (rx + .43, sg * .36, fz + .75), (.05, .12, .075), .55, leather, (0, math.radians(12), 0))
    # dashboard: an upper pad, a band of trim, a lower part; all as wide as the car is there
    dx, dz = cx - .80, fz + .40
    w = 2 * float(S.width(dx, 1.0)) - .16
    blob('dash_top', (dx - .04, 0, dz), (.27, w / 2, .085), .35, dark)
    blob('dash_band', (dx + .215, 0, dz - .065), (.05, w / 2 - .02, .040), .3, accent)
    blob('dash_low', (dx + .10, 0, dz - .20), (.20, w / 2 - .02, .15), .35, soft)
    blob('hood', (dx + .10, -out, dz + .075), (.18, .19, .05), .45, dark)
    screen('dials', (dx + .285, -out, dz + .055), (.30, .105), (0, math.radians(-14), 0), 'dials')
    screen('middle', (dx + .285, .05, dz + .06), (.31, .17), (0, math.radians(-8), math.radians(-6)), 'map')
    for y in (-w / 2 + .09, -.185, .24, w / 2 - .09):
        box('vent', (dx + .268, y, dz - .065), (.012, .12, .036), gloss, .004)
        for k in (-1, 0, 1):
            box('slat', (dx + .275, y, dz - .065 + k * .010), (.008, .112, .002), metal, 0)
    steering_wheel(cx - .36, -out, fz + .44, simple('wheel_leather', P.get('wheel_leather', '#151515'), .5), metal, gloss)
    # console between the seats
    blob('console', (cx - .22, 0, fz + .05), (.52, .115, .13), .35, soft)
    blob('armrest', (cx + .16, 0, fz + .17), (.20, .10, .05), .45, leather)
    box('console_top', (cx - .34, 0, fz + .178), (.40, .15, .008), accent, .003)
    blob('selector', (cx - .36, 0, fz + .225), (.028, .024, .042), .6, gloss)
    lathe_knob = lathe('knob', [(.001, .018), (.024, .018), (.026, .015), (.026, 0)], metal, 40)
    lathe_knob.rotation_euler = (math.pi / 2, 0, 0)
    lathe_knob.location = (cx - .20, 0, fz + .184)
    # doors
    n = 2 if P.get('rear_seats') else 1
    for k in range(n):
        x = cx - .18 + .92 * k
        for sg in (-1, 1):
            y = min(float(S.width(x + d, h)) for d in (-.45, 0, .45) for h in (.4, .8)) - .10
            box('door_in', (x, sg * y, fz + .24), (.92, .06, .46), soft, .03)
            blob('door_pad', (x + .06, sg * (y - .04), fz + .27), (.36, .05, .10), .4, leather)
            box('door_band', (x, sg * (y - .035), fz + .42), (.84, .02, .028), accent, .008)
            tube('door_pull', [(x - .16, sg * (y - .075), fz + .36), (x - .12, sg * (y - .095), fz + .37), (x + .06, sg * (y - .095), fz + .37), (x + .10, sg * (y - .075), fz + .36)], .009, metal)
    box('floor', (L * .5, 0, .22), (L * .6, W * .78, .05), dark, 0)
    bz = float(S.roof(P['xw0'] + .72 * (P['xw1'] - P['xw0']))) - .05
    blob('rear_mirror', (P['xw0'] + .80 * (P['xw1'] - P['xw0']) + .07, 0, bz), (.018, .10, .027), .5, gloss)
