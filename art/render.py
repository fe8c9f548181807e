"""Render one view of one car:  blender -b --factory-startup --python render.py -- CAR VIEW OUT [key=value ...]

Views: f34 side r34 (studio), rim (low-key night), lamp wheel tail (close, shallow focus), hero (wide).
Options: mode (light, dark), res, spp (samples), thr (noise at which a pixel is done, default .04), threads, q (mesh
density, 0.5 for a preview), zoom, sx sy (lens shift: sx=-.2 puts the car on the right), az (camera angle), ev (exposure),
alpha=1 (car only), lamps (lamp strength), raw=1 (no denoising), f (aperture).
"""
import sys, os, math, time
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import bpy
import numpy as np
from parts import *
from cars import CARS

argv = sys.argv[sys.argv.index('--') + 1:]
car, view, out = argv[:3]
opt = dict(a.split('=') for a in argv[3:])
P = CARS[car]
spp = int(opt.get('spp', 64))
W, H = [int(v) for v in opt.get('res', '1600x1000').split('x')]
q = float(opt.get('q', 1))

bpy.ops.wm.read_factory_settings(use_empty=True)
sc = bpy.context.scene
sc.render.engine = 'CYCLES'
cy = sc.cycles
cy.samples = spp
cy.use_adaptive_sampling = True
cy.adaptive_threshold = float(opt.get('thr', .04))
cy.adaptive_min_samples = 6
cy.use_denoising = False
cy.max_bounces = 6
cy.diffuse_bounces = 2
cy.glossy_bounces = 3
cy.transmission_bounces = 2
cy.transparent_max_bounces = 8
cy.caustics_reflective = cy.caustics_refractive = False
cy.sample_clamp_indirect = 3.0
cy.sample_clamp_direct = 0
cy.blur_glossy = 0.5
sc.render.threads_mode = 'FIXED'
sc.render.threads = int(opt.get('threads', os.environ.get('ART_THREADS', 2)))
sc.view_settings.view_transform = 'Filmic'
sc.render.image_settings.file_format = 'PNG'
sc.render.use_persistent_data = False

L, Wd = P['L'], P['W']
mode = opt.get('mode') or ('dark' if view.endswith('dark') or view in ('rim', 'rimrear', 'lamp', 'wheel', 'tail') else 'light')
lamps = float(opt.get('lamps', 1.6 if mode == 'dark' else 1.0))
steer = {'f34': -14, 'hero': -14, 'rim': 0, 'r34': 0}.get(view, 0)
root, S, bvh = build_car(P, lamps, steer, q)
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
cam = camera(p, t, lens, (W, H), (float(opt.get('sx', 0)), float(opt.get('sy', 0))),
             fstop=float(opt['f']) if 'f' in opt else (4.0 if view in ('lamp', 'wheel', 'tail') else None))

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
    world((.92, .90, .86, 1), .50)
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
    sc.view_settings.look = 'High Contrast'
    sc.view_settings.exposure = float(opt.get('ev', .42))
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
    sc.view_settings.look = 'Medium High Contrast'
    sc.view_settings.exposure = float(opt.get('ev', .55 if not lowkey else .45))
if opt.get('alpha'):
    sc.render.film_transparent = True
    fl.visible_camera = False
    sc.render.image_settings.color_mode = 'RGBA'


# ---------------------------------------------------------------- render: two halves, then denoise
import tempfile
from denoise import denoise
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
    im = bpy.data.images.load(os.path.join(tmp, slot + '0001.exr'))
    im.colorspace_settings.name = 'Linear'
    a = np.empty(W * H * 4, np.float32)
    im.pixels.foreach_get(a)
    bpy.data.images.remove(im)
    return a.reshape(H, W, 4)


sc.frame_set(1)
cy.samples = max(4, spp // 2)
halves = []
for seed in (1, 2):
    cy.seed = seed
    bpy.ops.render.render(write_still=False)
    halves.append(load('c'))
    if seed == 1:
        alb, nrm, pos = load('a'), load('n'), load('p')
    else:
        alb, nrm = (alb + load('a')) / 2, (nrm + load('n')) / 2
res = (halves[0] + halves[1]) / 2
if not opt.get('raw'):
    # the floor is where the visible point lies at height zero
    flo = (np.abs(pos[..., 2]) < .003) & (np.abs(pos[..., :2]).max(-1) > 0)
    t0 = time.time()
    res[..., :3] = denoise(halves[0][..., :3], halves[1][..., :3], alb, nrm, None if opt.get('alpha') else flo)
    print('denoise', round(time.time() - t0, 1), 's, floor', round(float(flo.mean()), 2))
im = bpy.data.images.new('out', W, H, alpha=True, float_buffer=True)
im.colorspace_settings.name = 'Linear'
im.alpha_mode = 'PREMUL'
if not opt.get('alpha'):
    res[..., 3] = 1
im.pixels.foreach_set(res.astype(np.float32).ravel())
im.update()
sc.render.image_settings.file_format = 'PNG'
sc.render.image_settings.color_mode = 'RGBA' if opt.get('alpha') else 'RGB'
im.save_render(out, scene=sc)
print('\nDONE', out)
