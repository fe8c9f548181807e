"""What a prize holds beside the car: an open roof tent, a trailer with two electric bicycles, a wall charger.

Each function builds in the car's own measures (x from the nose) and returns nothing: render.py puts all of it on the car's
root object.
"""
import math
import bpy
import numpy as np
from mathutils import Vector
from shapes import NT, blob, box, lathe, obj_from, simple, srgb, tube


def cloth(name, col, fold=.004):
    """Tent canvas: rough, faintly woven, a little light comes through."""
    m = bpy.data.materials.get(name)
    if m:
        return m
    m = bpy.data.materials.new(name)
    t = NT(m)
    big = t.n('ShaderNodeTexNoise', Scale=5.0, Detail=3.0)
    bp = t.n('ShaderNodeBump', Strength=.5, Distance=fold * 4)
    t.t.links.new(big.outputs[0], bp.inputs['Height'])
    d = t.n('ShaderNodeBsdfPrincipled', Base__Color=srgb(col), Roughness=.85, Sheen=.3, Specular=.2)
    t.t.links.new(bp.outputs[0], d.inputs['Normal'])
    tr = t.n('ShaderNodeBsdfTranslucent', Color=srgb(col))
    f = t.n('ShaderNodeValue')
    f.outputs[0].default_value = .25
    t.out(t.mix(f.outputs[0], d.outputs[0], tr.outputs[0]))
    return m


def sheet(name, corners, mat, sag=0.0, n=14):
    """A cloth between four corners; its middle lies `sag` beside the plane."""
    a, b, c, d = (Vector(p) for p in corners)
    nrm = (b - a).cross(d - a).normalized()
    V, F = [], []
    for i in range(n + 1):
        for j in range(n + 1):
            u, v = i / n, j / n
            p = (a * (1 - u) + b * u) * (1 - v) + (d * (1 - u) + c * u) * v
            V.append(tuple(p + nrm * sag * 16 * u * (1 - u) * v * (1 - v)))
    for i in range(n):
        for j in range(n):
            k = i * (n + 1) + j
            F.append((k, k + n + 1, k + n + 2, k + 1))
    return obj_from(name, V, F, mat)


def roof_tent(P):
    """A hard shell, open like a book: hinged at the front, canvas walls, a door to the rear, a ladder down."""
    alu = simple('tent_alu', '#8f9296', .35, .9)
    shell = simple('tent_shell', '#141516', .35, 0, coat=.5)
    canvas = cloth('canvas', '#b39f7c')
    trim = cloth('canvas_trim', '#4a4f42')
    net = simple('net', '#15171a', .9)
    bed = cloth('mattress', '#5d625a')
    top = max(z for _, z in P['roof'])
    x0, x1, hw, z0 = 1.95, 4.13, .66, top + .085
    # cross bars on the rails
    for x in (2.35, 3.55):
        box('bar', (x, 0, top + .045), (.075, 1.30, .028), alu, .012)
        for sg in (-1, 1):
            box('bar_foot', (x, sg * .60, top - .03), (.10, .07, .15), shell, .015)
    box('tray', ((x0 + x1) / 2, 0, z0 + .03), (x1 - x0, 2 * hw, .075), shell, .025)
    box('tray_edge', ((x0 + x1) / 2, 0, z0 + .075), (x1 - x0 + .012, 2 * hw + .012, .018), alu, .006)
    box('mattress', ((x0 + x1) / 2 + .02, 0, z0 + .115), (x1 - x0 - .1, 2 * hw - .1, .07), bed, .03)
    # lid, from the hinge at the front up to the rear
    rise, ll = math.radians(29), x1 - x0
    c, s = math.cos(rise), math.sin(rise)
    hx, hz = x0 + .03, z0 + .11
    ex, ez = hx + ll * c, hz + ll * s
    box('lid', ((hx + ex) / 2 - s * .035, 0, (hz + ez) / 2 + c * .035), (ll, 2 * hw + .02, .085), shell, .035, (0, -rise, 0))
    box('lid_edge', ((hx + ex) / 2, 0, (hz + ez) / 2 - .004), (ll + .012, 2 * hw + .03, .018), alu, .006, (0, -rise, 0))
    zb = z0 + .085
    for sg in (-1, 1):
        y = sg * (hw - .015)
        w = [(hx + .02, y, zb), (x1 - .01, y, zb), (ex - .02, y, ez - .01), (hx + .03, y, hz + .01)]
        sheet('wall', w if sg < 0 else w[::-1], canvas, -.035)

        def on(u, v, out=.022):
            """A point of the wall: u towards the rear, v up to the lid."""
            x = hx + .02 + u * (x1 - hx - .03)
            h = (x - hx) * math.tan(rise)
            # the wall's sag, so that what is sewn on it follows
            return (x + v * h * .0, sg * (abs(y) - .035 * 16 * u * (1 - u) * v * (1 - v) * .9 + out), zb + v * h)
        sheet('window', [on(.52, .22), on(.86, .22), on(.86, .74), on(.52, .66)], net, 0)
        for a, b in (((.50, .18), (.88, .18)), ((.88, .18), (.88, .80)), ((.88, .80), (.50, .70)), ((.50, .70), (.50, .18))):
            tube('window_edge', [on(*a, .024), on(*b, .024)], .012, trim, 8)
        # the flap of the window is rolled up and held out by two rods
        sheet('awning', [on(.50, .72, .025), on(.88, .82, .025), (on(.88, .70)[0], sg * (hw + .34), on(.88, .62)[2]), (on(.50, .6)[0], sg * (hw + .34), on(.50, .42)[2] + .06)], trim, .02)
        for u, v in ((.51, .42), (.87, .62)):
            q = on(u, v)
            tube('rod', [on(u, .25), (q[0], sg * (hw + .335), q[2] + (.055 if u < .6 else 0))], .006, alu, 8)
        tube('strut', [(x1 - .25, sg * (hw - .05), z0 + .09), (ex - .45, sg * (hw - .05), ez - .30)], .011, alu, 10)
    # rear: canvas beside and above an open door
    h = ez - zb - .02
    for sg in (-1, 1):
        sheet('rear_side', [(x1 - .01, sg * hw * .97, zb), (x1 - .01, sg * .36, zb), (ex - .02, sg * .36, zb + h), (ex - .02, sg * hw * .97, zb + h)], canvas, .01 * sg)
    sheet('rear_top', [(x1 - .01 + (ex - x1) * .80, -.36, zb + h * .80), (x1 - .01 + (ex - x1) * .80, .36, zb + h * .80), (ex - .02, .36, zb + h), (ex - .02, -.36, zb + h)], canvas, .0)
    tube('door_roll', [(ex - .03, -.35, zb + h * .80), (ex - .02, 0, zb + h * .785), (ex - .03, .35, zb + h * .80)], .045, trim, 16)
    for sg in (-1, 1):
        tube('door_edge', [(x1 + .0, sg * .36, zb + .01), (ex - .015, sg * .36, zb + h)], .011, trim, 8)
    # a warm lamp inside
    box('lamp', (ex - .55, 0, ez - .42), (.12, .05, .02), simple('tent_lamp', '#000000', .5, emit='#ffd9a0', strength=14), .008)
    # ladder from the tray to the ground
    fx, fz, tx, tz = x1 + 1.42, .03, x1 - .02, z0 + .14
    for sg in (-1, 1):
        tube('rail', [(fx, sg * .19, fz), (tx, sg * .19, tz)], .019, alu, 12)
        blob('foot', (fx + .01, sg * .19, .025), (.05, .03, .025), .5, shell)
    for k in range(8):
        u = (k + .7) / 8.2
        box('rung', (fx + (tx - fx) * u, 0, fz + (tz - fz) * u), (.06, .37, .018), alu, .006)


def bicycle(x, y, z, paint, facing=-1, steer=0.0):
    """An electric bicycle, its wheels on height z, its frame in the plane y; `facing` is the side of the front wheel in x."""
    pm = simple('bike_' + paint, paint, .25, .3, coat=1)
    blk = simple('bike_black', '#0d0d0e', .4)
    rub = simple('rubber', '#0b0b0c', .62, spec=.35)
    alu = simple('bike_alu', '#a9acb0', .25, 1)
    skin = simple('bike_saddle', '#3a2417', .55)
    f = facing
    R = .345

    def at(u, v):
        return Vector((x + f * u, y, z + v))
    rear, front = at(-.53, R), at(.55, R)
    bb, seat_top, head_top, head_low = at(-.08, .30), at(-.26, .78), at(.33, .83), at(.37, .68)
    for c in (rear, front):
        ring = [tuple(c + Vector((R * .955 * math.cos(a), 0, R * .955 * math.sin(a)))) for a in np.linspace(0, 2 * math.pi, 72, endpoint=False)]
        tube('tyre', ring, .024, rub, 12, closed=True)
        ring = [tuple(c + Vector((R * .89 * math.cos(a), 0, R * .89 * math.sin(a)))) for a in np.linspace(0, 2 * math.pi, 72, endpoint=False)]
        tube('rim', ring, .013, blk, 10, closed=True)
        for k in range(24):
            a = 2 * math.pi * k / 24
            b = a + (.35 if k % 2 else -.35)
            sy = .022 if k % 4 < 2 else -.022
            tube('spoke', [tuple(c + Vector((.03 * math.cos(b), sy, .03 * math.sin(b)))), tuple(c + Vector((R * .88 * math.cos(a), 0, R * .88 * math.sin(a))))], .0016, alu, 5, caps=False)
        h = lathe('hub', [(.001, -.05), (.028, -.05), (.030, -.03), (.030, .03), (.028, .05), (.001, .05)], blk, 32)
        h.location = c
        d = lathe('rotor', [(.085, .040), (.075, .040), (.075, .043), (.085, .043)], alu, 48, closed=True)
        d.location = c
        # mudguard
        a0, a1 = (.05, 2.5) if (c is rear) == (f < 0) else (.64, 3.1)
        g = [tuple(c + Vector((R * 1.075 * math.cos(a), 0, R * 1.075 * math.sin(a)))) for a in np.linspace(a0, a1, 30)]
        o = tube('guard', g, .02, pm, 8)
    tube('down_tube', [tuple(head_low), tuple(head_low.lerp(bb, .5)), tuple(bb)], .033, pm, 16)
    o = tube('battery', [tuple(head_low.lerp(bb, .22) + Vector((0, 0, .035))), tuple(head_low.lerp(bb, .84) + Vector((0, 0, .035)))], .036, blk, 16)
    tube('top_tube', [tuple(head_top.lerp(head_low, .3)), tuple(at(-.19, .60))], .021, pm, 14)
    tube('seat_tube', [tuple(bb), tuple(seat_top)], .019, pm, 14)
    tube('post', [tuple(seat_top), tuple(at(-.30, .90))], .014, blk, 12)
    blob('saddle', tuple(at(-.30, .92)), (.13, .068, .026), .75, skin, (0, math.radians(3 * f), 0))
    tube('head', [tuple(head_top), tuple(head_low)], .024, pm, 14)
    for sg in (-1, 1):
        s = Vector((0, sg * .055, 0))
        tube('chain_stay', [tuple(bb + s * .6), tuple(rear + s)], .010, pm, 10)
        tube('seat_stay', [tuple(at(-.20, .62) + s * .5), tuple(rear + s)], .008, pm, 10)
        tube('fork', [tuple(head_low + s * .9), tuple(front + s)], .014, blk, 12)
        tube('crank', [tuple(bb + Vector((0, sg * .07, 0))), tuple(bb + Vector((sg * .12, sg * .085, -.12)))], .010, alu, 10)
        box('pedal', tuple(bb + Vector((sg * .12, sg * .125, -.125))), (.09, .075, .018), blk, .005)
    blob('motor', tuple(bb), (.085, .06, .075), .6, blk)
    ch = lathe('ring', [(.088, .064), (.070, .064), (.070, .068), (.088, .068)], alu, 60, closed=True)
    ch.location = bb
    stem = at(.30, .97)
    tube('stem', [tuple(head_top), tuple(stem)], .017, blk, 12)
    bar = [tuple(stem + Vector((-f * (.10 * abs(v) ** 2), .31 * v, .03 * abs(v)))) for v in np.linspace(-1, 1, 15)]
    tube('handlebar', bar, .012, blk, 12)
    for sg in (-1, 1):
        e = stem + Vector((-f * .10, .31 * sg, .03))
        tube('grip', [tuple(e - Vector((0, sg * .13, .01))), tuple(e)], .017, skin, 12)
    blob('light', tuple(at(.42, .80)), (.03, .028, .028), .8, blk)
    blob('rear_light', tuple(at(-.66, .78)), (.02, .03, .02), .6, simple('bike_red', '#330000', .3, emit='#ff1808', strength=2))
    tube('rack', [tuple(at(-.26, .74)), tuple(at(-.74, .76))], .008, blk, 8)


def trailer(P, plate):
    """A box trailer on the tow bar, two electric bicycles on its roof carrier."""
    alu = simple('trailer_alu', '#a4a7ab', .32, .95)
    side = simple('trailer_side', P['paint'], .28, .5, coat=1)
    blk = simple('trailer_black', '#0c0c0d', .5)
    rub = simple('rubber', '#0b0b0c', .62, spec=.35)
    L = P['L']
    hitch = L + .16
    x0, bl, bw, zf, bh = hitch + 1.02, 2.25, 1.36, .46, .82
    x1, xm = x0 + bl, x0 + bl * .54
    # tow bar and drawbar
    tube('tow_bar', [(L - .10, 0, .36), (L + .02, 0, .355), (hitch, 0, .37), (hitch, 0, .41)], .022, blk, 12)
    blob('ball', (hitch, 0, .43), (.026, .026, .026), 1, alu)
    blob('coupling', (hitch + .06, 0, .455), (.13, .045, .04), .6, blk)
    for sg in (-1, 1):
        tube('draw', [(hitch + .16, sg * .02, .44), (x0 + .2, sg * .30, .42), (x1 - .2, sg * .34, .42)], .032, alu, 10)
    tube('jockey', [(hitch + .42, .0, .60), (hitch + .42, .0, .22)], .02, alu, 12)
    w = lathe('jockey_wheel', [(.001, -.03), (.095, -.03), (.105, -.015), (.105, .015), (.095, .03), (.001, .03)], rub, 48)
    w.location = (hitch + .42, 0, .106)
    tube('cable', [(L - .05, .18, .40), (hitch, .14, .33), (hitch + .4, .06, .46)], .009, blk, 8)
    # body: panels between aluminium profiles
    box('bed', ((x0 + x1) / 2, 0, zf - .03), (bl, bw, .06), alu, .01)
    box('hull', ((x0 + x1) / 2, 0, zf + bh / 2), (bl - .03, bw - .03, bh), side, .012)
    for xx in (x0, x1):
        for sg in (-1, 1):
            box('post', (xx, sg * bw / 2, zf + bh / 2), (.055, .055, bh + .02), alu, .016)
    for zz in (zf + .01, zf + bh):
        for sg in (-1, 1):
            box('beam', ((x0 + x1) / 2, sg * bw / 2, zz), (bl, .05, .055), alu, .014)
        for xx in (x0, x1):
            box('beam', (xx, 0, zz), (.05, bw, .055), alu, .014)
    for u in (.36, .70):
        for sg in (-1, 1):
            box('rib', (x0 + bl * u, sg * (bw / 2 - .004), zf + bh / 2), (.035, .02, bh), alu, .006)
    box('lid', ((x0 + x1) / 2, 0, zf + bh + .045), (bl + .05, bw + .05, .05), simple('trailer_lid', '#1a1b1c', .4, coat=.3), .02)
    for u in (.25, .75):
        for sg in (-1, 1):
            box('latch', (x0 + bl * u, sg * (bw / 2 + .03), zf + bh - .02), (.06, .015, .12), blk, .005)
    # wheels under mudguards
    R = .30
    for sg in (-1, 1):
        y = sg * (bw / 2 + .14)
        for prof, m in (([(R * .63, -.075), (R * .72, -.085), (R - .02, -.085), (R, -.06), (R, .06), (R - .02, .085), (R * .72, .085), (R * .63, .075)], rub),
                        ([(.001, .03), (.07, .035), (.09, .02), (R * .5, .04), (R * .60, .06), (R * .645, .075), (R * .645, -.07)], alu)):
            o = lathe('trailer_wheel', prof if sg > 0 else [(r, -v) for r, v in prof], m, 72)
            o.location = (xm, y, R)
        for k in range(5):
            a = 2 * math.pi * k / 5
            o = lathe('hole', [(.001, .0), (.022, .0), (.024, -.02)] if sg > 0 else [(.001, 0), (.022, 0), (.024, .02)], blk, 24)
            o.location = (xm + .115 * math.cos(a), y + sg * .0365, R + .115 * math.sin(a))
        V, F = [], []
        for i, a in enumerate(np.linspace(math.radians(-8), math.radians(188), 40)):
            for dr, dy in ((0, -.11), (.0, .11), (-.03, .12)):
                V.append((xm + (R + .075 + dr) * math.cos(a), y + sg * dy, R + (R + .075 + dr) * math.sin(a)))
            if i:
                for k in range(2):
                    F.append(((i - 1) * 3 + k, i * 3 + k, i * 3 + k + 1, (i - 1) * 3 + k + 1))
        obj_from('mudguard', V, F, simple('guard_black', '#101011', .35, coat=.3))
        box('tail_lamp', (x1 + .035, sg * (bw / 2 - .14), zf - .02), (.03, .24, .10), simple('trailer_lamp', '#2a0303', .15, emit='#ff1408', strength=1.2), .012)
        box('reflector', (x0 + bl * .9, sg * (bw / 2 + .028), zf + .03), (.09, .008, .035), simple('amber', '#c8630a', .2), .004)
    tube('axle', [(xm, -bw / 2 - .1, R), (xm, bw / 2 + .1, R)], .03, blk, 12)
    plate('V 031 448', (x1 + .045, 0, zf + .10), (0, 0, math.pi / 2))
    # carrier and bicycles
    zt = zf + bh + .07
    for y, paint, face in ((-.33, '#c9c2b2', -1), (.33, '#a2401c', 1)):
        xb = (x0 + x1) / 2
        box('channel', (xb, y, zt + .035), (1.62, .07, .03), alu, .008)
        bicycle(xb, y, zt + .05, paint, face)
        for u in (-.50, .52):
            tube('strap', [(xb + face * u, y - .03, zt + .04), (xb + face * u, y - .036, zt + .11), (xb + face * u, y + .036, zt + .11), (xb + face * u, y + .03, zt + .04)], .007, blk, 6)
        tube('holder', [(xb + face * -.05, y - .10, zt + .03), (xb + face * -.02, y - .06, zt + .40), (xb + face * .06, y - .03, zt + .55)], .012, alu, 10)
    for u in (.18, .82):
        box('cross', (x0 + bl * u, 0, zt + .012), (.05, bw - .1, .024), alu, .008)


def charger(P):
    """A wall charger on a piece of wall left of the nose, its cable plugged into the wing."""
    oak = bpy.data.materials.new('oak')
    t = NT(oak)
    wv = t.n('ShaderNodeTexWave', Scale=1.2, Distortion=7.0, Detail=3.0)
    wv.bands_direction = 'X'
    rm = t.n('ShaderNodeMixRGB', Color1=srgb('#a37a4e'), Color2=srgb('#8a6340'))
    t.t.links.new(wv.outputs[1], rm.inputs['Fac'])
    t.out(t.n('ShaderNodeBsdfPrincipled', Base__Color=rm.outputs[0], Roughness=.5, Specular=.35).outputs[0])
    dark = simple('wall_dark', '#1b1c1e', .6)
    case = simple('charger_case', '#f1f0ec', .22, 0, coat=1)
    face = simple('charger_face', '#0a0a0b', .08, 0, coat=1)
    ring = simple('charger_ring', '#000000', .5, emit='#37e07c', strength=5)
    blk = simple('cable', '#121213', .5)
    a = math.radians(-38)
    c, s = math.cos(a), math.sin(a)
    ox, oy = -.98, .52

    def at(side, out, z):
        """A point beside the wall: along it, in front of it (towards the camera), up."""
        u, n = (-s, -c), (-c, s)
        return (ox + side * u[0] + out * n[0], oy + side * u[1] + out * n[1], z)
    turn = math.atan2(-c, -s)
    wall = bpy.data.objects.new('wall', None)
    bpy.context.collection.objects.link(wall)
    for k in range(11):
        box('slat', at((k - 5) * .105, 0, .82), (.088, .045, 1.60), oak, .006, (0, 0, turn))
    box('backing', at(0, -.04, .82), (1.14, .03, 1.60), dark, .004, (0, 0, turn))
    box('plinth', at(0, -.02, .02), (1.22, .16, .04), dark, .006, (0, 0, turn))
    box('cap', at(0, -.015, 1.635), (1.18, .10, .03), dark, .006, (0, 0, turn))
    box('case', at(0, .075, 1.17), (.235, .105, .335), case, .04, (0, 0, turn), 8)
    box('face', at(0, .128, 1.19), (.165, .012, .225), face, .02, (0, 0, turn))
    px, py, pz = at(0, .137, 1.215)
    pts = []
    for k in range(48):
        b = 2 * math.pi * k / 48
        pts.append(at(.048 * math.cos(b), .137, 1.215 + .048 * math.sin(b)))
    tube('ring', pts, .0045, ring, 8, closed=True)
    # the cable: from the case to the floor, past the nose, up to the wing
    fx, fz, fr = P['flap']
    W = P['W'] / 2
    ends = [at(.05, .10, 1.01), at(.07, .13, .60), at(.12, .20, .12), at(.30, .40, .016), (-.72, -.62, .016), (-.50, -1.05, .016), (-.05, -1.45, .016), (fx - .30, -1.50, .06), (fx - .12, -W - .30, .52), (fx - .02, -W - .17, fz - .02), (fx, -W - .03, fz)]
    P_ = [Vector(p) for p in ends]
    pts = []
    for i in range(len(P_) - 1):
        p0, p1, p2, p3 = P_[max(i - 1, 0)], P_[i], P_[i + 1], P_[min(i + 2, len(P_) - 1)]
        for k in range(14):
            u = k / 14
            q = .5 * ((2 * p1) + (p2 - p0) * u + (2 * p0 - 5 * p1 + 4 * p2 - p3) * u * u + (3 * p1 - p0 - 3 * p2 + p3) * u ** 3)
            q.z = max(q.z, .015)
            pts.append(tuple(q))
    pts.append(tuple(P_[-1]))
    tube('cable', pts, .0135, blk, 10)
    tube('plug', [(fx - .03, -W - .16, fz - .015), (fx, -W - .10, fz), (fx, -W + .02, fz)], .030, blk, 16)
    tube('collar', [(fx, -W - .055, fz), (fx, -W - .045, fz)], .033, ring, 20)
