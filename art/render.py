"""Render one view of one car:  blender -b --factory-startup --python render.py -- CAR VIEW OUT [key=value ...]

OUT ends in .png for a preview, in .npz for a raw picture, which gets passes of `spp` samples until it has `until`.
Views: f34 side r34 (studio), rim (low-key night), lamp wheel tail (close, shallow focus), cockpit, hero (wide), and what else
a prize holds: tent trailer charger.
Options: mode (light, dark), res, spp (samples), threads, q (mesh density, 0.5 for a preview), zoom, sx sy (lens shift:
sx=-.2 puts the car on the right), az (camera angle), ev (exposure of a preview), alpha=1 (car only), lamps (lamp strength),
inside (light in the cabin), raw=1 (no denoising), f (aperture).
"""
import sys, os, math, time, shutil, tempfile
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import bpy
import numpy as np
from parts import *
from cars import CARS
from props import charger, roof_tent, trailer
from develop import add_pass, develop

argv = sys.argv[sys.argv.index('--') + 1:]
car, view, out = argv[:3]
opt = dict(a.split('=') for a in argv[3:])
P = CARS[car]
spp = int(opt.get('spp', 64))
W, H = [int(v) for v in opt.get('res', '1600x1000').split('x')]
q = float(opt.get('q', 1))
have = int(np.load(out)['spp']) if out.endswith('.npz') and os.path.exists(out) else 0
until = int(opt.get('until', spp))
if have >= until:
    sys.exit()

bpy.ops.wm.read_factory_settings(use_empty=True)
sc = bpy.context.scene
sc.render.engine = 'CYCLES'
cy = sc.cycles
cy.samples = spp
cy.use_adaptive_sampling = False
cy.use_denoising = False
cy.max_bounces = 6
cy.diffuse_bounces = 2
cy.glossy_bounces = 3
cy.transmission_bounces = 2
cy.transparent_max_bounces = 8
cy.caustics_reflective = cy.caustics_refractive = False
cy.sample_clamp_indirect = 3.0
cy.sample_clamp_direct = 8   # a lamp or a glint may not turn its edge into steps
cy.blur_glossy = 0.5
sc.render.threads_mode = 'FIXED'
sc.render.threads = int(opt.get('threads', os.environ.get('ART_THREADS', 2)))

L, Wd = P['L'], P['W']
mode = opt.get('mode') or ('dark' if view.endswith('dark') or view in ('rim', 'rimrear', 'lamp', 'wheel', 'tail', 'cockpit') else 'light')
lamps = float(opt.get('lamps', 1.6 if mode == 'dark' else 1.0))
steer = {'f34': -14, 'hero': -14, 'charger': -14, 'rim': 0, 'r34': 0}.get(view, 0)
root, S, bvh = build_car(P, lamps, steer, q, {'tent': roof_tent, 'trailer': lambda P: trailer(P, plate), 'charger': charger}.get(view), float(opt.get('inside', 42 if view == 'cockpit' else 9)))
Hc = max(z for _, z in P['roof'])
tall = Hc / 1.32


def polar(deg, dist, h):
    a = math.radians(deg)
    return (-math.cos(a) * dist, -math.sin(a) * dist, h)


# azimuth 0 is straight ahead of the nose, 90 is the left flank, 180 the tail
V = {
    'f34':  dict(az=38, d=9.4, h=1.25, t=(-.05, 0, .56), lens=70),
    'hero': dict(az=42, d=10.5, h=1.0, t=(0, 0, .60), lens=70),
    'side': dict(az=90, d=13.5, h=1.05, t=(0, 0, .60), lens=82),
    'r34':  dict(az=142, d=9.4, h=1.45, t=(.05, 0, .58), lens=70),
    'rim':  dict(az=52, d=11, h=.95, t=(0, 0, .58), lens=78),
    'rimrear': dict(az=150, d=10, h=1.2, t=(0, 0, .6), lens=74),
    'lamp': dict(az=30, d=4.2, h=.95, t=(-L / 2 + .42, -.45, .56), lens=75),
    'wheel': dict(az=66, d=4.6, h=.62, t=(-L / 2 + P['axles'][0] + .12, -.8, .44), lens=80),
    'tent': dict(az=136, d=12.5, h=1.35, t=(.32, 0, .98), lens=72),
    'trailer': dict(az=60, d=17, h=1.5, t=(1.66, 0, .88), lens=77),
    'charger': dict(az=38, d=11.2, h=1.25, t=(-.58, .40, .62), lens=70),
    'cockpit': dict(az=165, d=1, h=1, t=(0, 0, 0), lens=23),
    'tail': dict(az=152, d=4.4, h=1.05, t=(L / 2 - .35, -.35, .66), lens=70),
}[view.replace('dark', '') if view.replace('dark', '') in ('f34', 'side', 'r34', 'hero') else view]
az = float(opt.get('az', V['az']))
t = V['t']
p = polar(az, V['d'], V['h'] * (1 if view in ('lamp', 'wheel') else tall ** .5))
if view in ('lamp', 'wheel', 'tail'):
    p = (p[0] + t[0], p[1] + t[1], V['h'])
else:
    t = (t[0], t[1], t[2] * tall)
lens = V['lens'] * 4.56 / max(L, 4.2) * float(opt.get('zoom', 1))
if view == 'cockpit':       # over the driver's shoulder, between the seats
    x, z = P['seat_x'] - L / 2, P.get('seat_z', .38)
    eye = min(z + .88, float(S.roof(x + L / 2 + .16)) - .15)
    p, t, lens = (x + .20, .07, eye), (x - .74, -.13, z + .33), 19 * float(opt.get('zoom', 1))
cam = camera(p, t, lens, (W, H), (float(opt.get('sx', 0)), float(opt.get('sy', 0))),
             fstop=float(opt['f']) if 'f' in opt else {'lamp': 4.0, 'wheel': 4.0, 'tail': 4.0, 'cockpit': 11}.get(view))

fl = floor('dark' if mode == 'dark' else 'light', '#0a0b0c' if mode == 'dark' else '#efebe3')
fl.rotation_euler = (0, 0, math.radians(az - 90))       # wall stands behind the car, seen from the camera
side = -1 if az < 100 else 1


def rel(deg, dist, h):
    """A light position measured from the camera direction."""
    return polar(az + deg, dist, h)


# where the flank and the nose (or tail) mirror the camera: strips there are what one sees in the paint
FL = 180 - 2 * az
ND = -2 * az if az < 90 else 360 - 2 * az
if mode == 'light':
    world((.92, .90, .86, 1), .50, .16)
    area('top', (0, 0, 4.6), (0, 0, 0), (6.2, 2.6), 420, (1, .985, .96))
    area('key', rel(-62, 7, 3.2), (0, 0, .5), (4.5, 2.2), 330, (1, .98, .95))
    area('fill', rel(70, 8, 2.4), (0, 0, .5), (3.0, 2.6), 130, (.95, .97, 1))
    area('wall', rel(180, 8.5, 6.5), rel(180, 16, 3.5), (14, 2), 700, (1, .98, .95))
    # a soft dark flag where the flank mirrors it: it draws a horizon line into the paint
    fm = bpy.data.materials.new('flag')
    ft = NT(fm)
    fz = ft.n('ShaderNodeSeparateXYZ', Vector=ft.n('ShaderNodeNewGeometry').outputs['Position']).outputs['Z']
    fmr = ft.n('ShaderNodeMapRange', Value=fz)
    fmr.interpolation_type = 'SMOOTHSTEP'
    fmr.inputs[1].default_value, fmr.inputs[2].default_value = .1, 2.4
    ft.out(ft.mix(fmr.outputs[0], ft.n('ShaderNodeEmission', Color=(.004, .004, .005, 1)).outputs[0], ft.n('ShaderNodeBsdfTransparent').outputs[0]))
    for deg, dist, w_ in ((FL, 8.0, 9.0), (ND, 8.0, 3.4)):
        fo_ = obj_from('flag', [(-w_ / 2, 0, .02), (w_ / 2, 0, .02), (w_ / 2, 0, 2.4), (-w_ / 2, 0, 2.4)], [(0, 1, 2, 3)], fm, smooth=False)
        fo_.location = rel(deg, dist, 0)
        fo_.rotation_euler = (0, 0, math.radians(az + deg + 90))
        fo_.visible_camera = fo_.visible_shadow = fo_.visible_diffuse = False
    EV = 0
else:
    world((.010, .011, .013, 1), 1.0)
    lowkey = view in ('rim', 'rimrear')
    # close to the car the flank mirrors its strip at a flat angle: a full one would bleach the paint
    near = .4 if view in ('lamp', 'wheel', 'tail') else 1
    if not lowkey:
        area('top', rel(180, .4, 4.4), (0, 0, 0), (5.6, 1.6), 230, (1, .99, .97))
        area('flank', rel(FL, 7.0, 2.0), (0, 0, .5), (5.5, .8), 75 * near, (1, .98, .95))
        area('low', rel(FL, 7.0, .55), (0, 0, .4), (5.5, .3), 9, (.95, .97, 1))
        area('nose', rel(ND, 6.0, 1.9), (0, 0, .5), (3.0, .7), 60, (.93, .96, 1))
        area('back', rel(172, 7, 4.6), (0, 0, .6), (6, .6), 130 * near, (.92, .95, 1))
        area('wall', rel(180, 11, .4), rel(180, 15, 2.2), (10, .4), 60, (.75, .82, 1))
    else:
        area('top', rel(180, 1.4, 3.6), (0, 0, .3), (6.4, .6), 170, (1, .98, .95))
        area('flank', rel(FL, 7.0, 2.4), (0, 0, .6), (5.5, .28), 60, (1, .96, .90))
        area('nose', rel(ND, 6.0, 1.7), (0, 0, .5), (2.6, .3), 26, (.85, .92, 1))
        area('back', rel(158, 6.5, 3.4), (0, 0, .7), (4.5, .35), 90, (.85, .91, 1))
        area('wall', rel(180, 11, .3), rel(180, 15, 1.6), (9, .3), 22, (.7, .8, 1))
    EV = .3
if opt.get('alpha'):
    sc.render.film_transparent = True
    fl.visible_camera = False


# ---------------------------------------------------------------- render: two halves with different seeds
vl = sc.view_layers[0]
vl.cycles.denoising_store_passes = True
vl.use_pass_position = True
tmp = tempfile.mkdtemp()
sc.use_nodes = True
nt = sc.node_tree
nt.nodes.clear()
rl = nt.nodes.new('CompositorNodeRLayers')
fo = nt.nodes.new('CompositorNodeOutputFile')
fo.base_path = tmp
fo.format.file_format = 'OPEN_EXR'
fo.format.color_depth = '32'
fo.format.color_mode = 'RGBA'
fo.file_slots.clear()
for slot, sock in (('c', 'Image'), ('a', 'Denoising Albedo'), ('n', 'Denoising Normal'), ('p', 'Position')):
    fo.file_slots.new(slot)
    nt.links.new(rl.outputs[sock], fo.inputs[slot])
comp = nt.nodes.new('CompositorNodeComposite')
nt.links.new(rl.outputs['Image'], comp.inputs[0])


def load(slot):
    """What the last render wrote, top row first."""
    im = bpy.data.images.load(os.path.join(tmp, slot + '0001.exr'))
    im.colorspace_settings.name = 'Linear'
    a = np.empty(W * H * 4, np.float32)
    im.pixels.foreach_get(a)
    bpy.data.images.remove(im)
    return a.reshape(H, W, 4)[::-1]


def one_pass(before):
    """Half the samples each for two pictures that share no random number with the `before` samples, and their guides."""
    r = {}
    for k, name in enumerate('ab'):
        cy.seed = 2 * before + k
        bpy.ops.render.render(write_still=False)
        c = load('c')
        r[name] = c[..., :3]
        for key, slot in (('albedo', 'a'), ('normal', 'n')):
            v = load(slot)[..., :3]
            r[key] = v if not k else (r[key] + v) / 2
        if opt.get('alpha'):
            r['alpha'] = c[..., 3] if not k else (r['alpha'] + c[..., 3]) / 2
    pos = load('p')
    # the floor is where the visible point lies at height zero
    r['floor'] = ((np.abs(pos[..., 2]) < .003) & (np.abs(pos[..., :2]).max(-1) > 0)).astype(np.float32)
    return r


sc.frame_set(1)
sc.render.use_persistent_data = True
cy.samples = max(1, spp // 2)
if out.endswith('.npz'):
    while have < until:
        t0 = time.time()
        add_pass(out, one_pass(have), spp)
        have += spp
        print('PASS', out, have, 'samples', round(time.time() - t0), 's', flush=True)
else:
    from PIL import Image
    v, alpha = develop({**one_pass(0), 'spp': spp}, mode, float(opt.get('ev', EV)), clean=not opt.get('raw'))
    v = (np.clip(v, 0, 1) * 255 + .5).astype(np.uint8)
    if alpha is not None:
        v = np.concatenate([v, (alpha[..., None] * 255).astype(np.uint8)], -1)
    Image.fromarray(v).save(out)
shutil.rmtree(tmp)
print('DONE', out)
