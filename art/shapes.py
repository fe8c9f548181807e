"""Solids and plain materials that the car, its inside and the things beside it are put together from."""
import math
import bpy
import numpy as np
from mathutils import Vector


# ---------------------------------------------------------------- nodes
class NT:
    """A very small helper so shader graphs read like expressions."""
    def __init__(self, mat):
        mat.use_nodes = True
        self.t = mat.node_tree
        self.t.nodes.clear()

    def n(self, kind, **kw):
        nd = self.t.nodes.new(kind)
        for k, v in kw.items():
            if k.startswith('_'):
                setattr(nd, k[1:], v)
            else:
                key = k.replace('__', ' ')
                if hasattr(v, 'links') or isinstance(v, bpy.types.NodeSocket):
                    self.t.links.new(v, nd.inputs[key])
                else:
                    nd.inputs[key].default_value = v
        return nd

    def math(self, op, a, b=None, clamp=False):
        nd = self.t.nodes.new('ShaderNodeMath')
        nd.operation = op
        nd.use_clamp = clamp
        for i, v in enumerate([a, b]):
            if v is None:
                continue
            if isinstance(v, bpy.types.NodeSocket):
                self.t.links.new(v, nd.inputs[i])
            else:
                nd.inputs[i].default_value = v
        return nd.outputs[0]

    def attr(self, name):
        nd = self.t.nodes.new('ShaderNodeAttribute')
        nd.attribute_name = name
        return nd.outputs['Fac']

    def below(self, v, edge, soft=0.0008):
        """1 where v < edge, with a hair of softness against aliasing."""
        nd = self.t.nodes.new('ShaderNodeMapRange')
        nd.clamp = True
        self.t.links.new(v, nd.inputs[0])
        nd.inputs[1].default_value = edge - soft
        nd.inputs[2].default_value = edge + soft
        nd.inputs[3].default_value = 1
        nd.inputs[4].default_value = 0
        return nd.outputs[0]

    def mix(self, fac, a, b):
        nd = self.t.nodes.new('ShaderNodeMixShader')
        self.t.links.new(fac, nd.inputs[0])
        self.t.links.new(a, nd.inputs[1])
        self.t.links.new(b, nd.inputs[2])
        return nd.outputs[0]

    def out(self, s):
        o = self.t.nodes.new('ShaderNodeOutputMaterial')
        self.t.links.new(s, o.inputs[0])


def srgb(h):
    h = h.lstrip('#')
    c = [int(h[i:i + 2], 16) / 255 for i in (0, 2, 4)]
    return tuple((v / 12.92 if v <= .04045 else ((v + .055) / 1.055) ** 2.4) for v in c) + (1,)


def simple(name, col, rough=0.5, metal=0.0, coat=0.0, emit=None, strength=0, spec=0.5):
    m = bpy.data.materials.get(name)
    if m:
        return m
    m = bpy.data.materials.new(name)
    t = NT(m)
    b = t.n('ShaderNodeBsdfPrincipled', Base__Color=srgb(col), Roughness=rough, Metallic=metal,
            Clearcoat=coat, Specular=spec)
    if emit:
        b.inputs['Emission'].default_value = srgb(emit)
        b.inputs['Emission Strength'].default_value = strength
    t.out(b.outputs[0])
    return m


# ---------------------------------------------------------------- meshes
def obj_from(name, V, F, mat=None, smooth=True, attrs=None):
    V = np.asarray(V, float)
    me = bpy.data.meshes.new(name)
    if isinstance(F, np.ndarray):
        me.vertices.add(len(V))
        me.vertices.foreach_set('co', V.astype(np.float32).ravel())
        me.loops.add(F.size)
        me.loops.foreach_set('vertex_index', F.astype(np.int32).ravel())
        me.polygons.add(len(F))
        me.polygons.foreach_set('loop_start', np.arange(0, F.size, F.shape[1], dtype=np.int32))
        me.polygons.foreach_set('loop_total', np.full(len(F), F.shape[1], np.int32))
        me.update(calc_edges=True)
    else:
        me.from_pydata([tuple(v) for v in V], [], [tuple(f) for f in F])
        me.update()
    for k, v in (attrs or {}).items():
        a = me.attributes.new(k, 'FLOAT', 'POINT')
        a.data.foreach_set('value', v.astype(np.float32))
    if smooth:
        me.polygons.foreach_set('use_smooth', [True] * len(me.polygons))
    o = bpy.data.objects.new(name, me)
    bpy.context.collection.objects.link(o)
    if mat:
        me.materials.append(mat)
    return o


def lathe(name, prof, mat, seg=96, closed=False, auto=40):
    """Revolve (radius, y) pairs about the y axis."""
    a = np.linspace(0, 2 * np.pi, seg, endpoint=False)
    V = [(r * math.cos(t), y, r * math.sin(t)) for t in a for r, y in prof]
    n = len(prof)
    F = []
    m = n if closed else n - 1
    for i in range(seg):
        j = (i + 1) % seg
        for k in range(m):
            l = (k + 1) % n
            F.append((i * n + k, i * n + l, j * n + l, j * n + k))
    o = obj_from(name, V, F, mat)
    o.data.use_auto_smooth = True
    o.data.auto_smooth_angle = math.radians(auto)
    return o


def box(name, c, s, mat, bevel=0.03, rot=(0, 0, 0), seg=4):
    bpy.ops.mesh.primitive_cube_add(size=1, location=c, rotation=rot)
    o = bpy.context.object
    o.name = name
    o.scale = s
    bpy.ops.object.transform_apply(location=False, rotation=False, scale=True)
    if bevel:
        b = o.modifiers.new('b', 'BEVEL'); b.width = bevel; b.segments = seg
    bpy.ops.object.shade_smooth()
    o.data.use_auto_smooth = True
    o.data.materials.append(mat)
    return o


def blob(name, loc, half, p, mat, rot=(0, 0, 0), seg=40):
    """A cushion: a sphere drawn out to `half` its size each way; the smaller p, the squarer."""
    V, F = [], []
    n, m = seg, seg // 2
    f = lambda v: math.copysign(abs(v) ** p, v)
    for i in range(m + 1):
        a = math.pi * i / m - math.pi / 2
        for j in range(n):
            b = 2 * math.pi * j / n
            V.append((half[0] * f(math.cos(a)) * f(math.cos(b)), half[1] * f(math.cos(a)) * f(math.sin(b)), half[2] * f(math.sin(a))))
    for i in range(m):
        for j in range(n):
            k = (j + 1) % n
            F.append((i * n + j, i * n + k, i * n + n + k, i * n + n + j))
    o = obj_from(name, V, F, mat)
    o.location, o.rotation_euler = loc, rot
    return o


def tube(name, pts, r, mat, seg=12, closed=False, caps=True):
    """A round bar along points."""
    pts = [Vector(p) for p in pts]
    n = len(pts)
    V, F = [], []
    last = None
    for i, p in enumerate(pts):
        a = pts[(i - 1) % n] if closed or i else pts[i]
        b = pts[(i + 1) % n] if closed or i < n - 1 else pts[i]
        d = (b - a).normalized()
        u = last - d * last.dot(d) if last else d.orthogonal()
        u.normalize()
        last = u
        v = d.cross(u)
        for k in range(seg):
            t = 2 * math.pi * k / seg
            V.append(tuple(p + r * (math.cos(t) * u + math.sin(t) * v)))
    for i in range(n if closed else n - 1):
        j = (i + 1) % n
        for k in range(seg):
            l = (k + 1) % seg
            F.append((i * seg + k, i * seg + l, j * seg + l, j * seg + k))
    if not closed and caps:
        F += [tuple(range(seg))[::-1], tuple(range((n - 1) * seg, n * seg))]
    o = obj_from(name, V, F, mat)
    o.data.use_auto_smooth = True
    o.data.auto_smooth_angle = math.radians(50)
    return o
