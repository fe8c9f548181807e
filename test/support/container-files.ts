import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { parse, parseAllDocuments } from 'yaml'

const root = path.resolve(import.meta.dirname, '../..')
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8')

/** Names and values of a file of settings. */
export function settingsIn(file: string): Record<string, string> {
  const lines = read(file)
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
  return Object.fromEntries(lines.map((line) => line.split(/=(.*)/s, 2)))
}

export interface ComposeService {
  command?: string[]
  depends_on?: Record<string, { condition: string }>
  entrypoint?: string[]
  env_file?: string[]
  environment?: Record<string, string | number>
  image: string
  ports?: string[]
  secrets?: string[]
  volumes?: string[]
}

export interface ComposeFile {
  name: string
  services: Record<string, ComposeService>
  secrets?: Record<string, { file: string }>
  volumes: Record<string, null>
}

/** Where the files of Compose are: the demonstration, and a live shop. */
export const COMPOSE = { demo: 'compose.yaml', live: 'deploy/compose/compose.yaml' } as const

export const composeFile = (file: string): ComposeFile => parse(read(file), { merge: true }) as ComposeFile

/** The settings of a service of the live shop, by their names. */
export function composeSettings(service: string): Record<string, string> {
  const { env_file = [], environment = {} } = composeFile(COMPOSE.live).services[service]!
  const files = env_file.map((name) => settingsIn(`deploy/compose/${name}.example`))
  const own = Object.entries(environment).map(([name, value]) => [name, String(value)])
  return { ...Object.assign({}, ...files), ...Object.fromEntries(own) }
}

interface Container {
  name: string
  args?: string[]
  env?: { name: string; value: string }[]
  ports?: { name: string; containerPort: number }[]
  securityContext: object
}

interface PodTemplate {
  metadata: { labels: Record<string, string> }
  spec: {
    automountServiceAccountToken: boolean
    containers: [Container]
    securityContext: object
    volumes: { name: string; secret?: { secretName: string } }[]
  }
}

/** A document of deploy/kubernetes. */
export interface Manifest {
  file: string
  apiVersion: string
  kind: string
  metadata: { name: string; labels?: Record<string, string> }
  // oxlint-disable-next-line typescript/no-explicit-any -- of any kind; the schemas check it
  spec: any
}

export const KUBERNETES = 'deploy/kubernetes'

/** What kubectl applies; not the files that only kustomize reads. */
export const manifests: readonly Manifest[] = globSync('**/*.yaml', { cwd: path.join(root, KUBERNETES) })
  .filter((file) => !/(?:kustomization|references)\.yaml$/.test(file))
  .toSorted()
  .flatMap((file) =>
    parseAllDocuments(read(`${KUBERNETES}/${file}`)).map((document) => ({
      ...(document.toJS() as Omit<Manifest, 'file'>),
      file,
    })),
  )

/** The pods of the shop by their component. */
export const pods: Readonly<Record<string, PodTemplate>> = Object.fromEntries(
  manifests
    .filter(({ kind }) => ['Deployment', 'Job'].includes(kind))
    .map(({ metadata, spec }) => [metadata.name, (spec as { template: PodTemplate }).template]),
)

/** The settings of a pod, by their names. */
export function podSettings(component: string): Record<string, string> {
  const [{ env = [] }] = pods[component]!.spec.containers
  const own = Object.fromEntries(env.map(({ name, value }) => [name, value]))
  return { ...settingsIn(`${KUBERNETES}/settings.env.example`), ...own }
}

/** The instructions of Containerfile, each as its words. */
export const containerfile = (): string[][] =>
  read('Containerfile')
    .split('\n')
    .filter((line) => /^[A-Z]+ /.test(line))
    .map((line) => line.split(' '))

/** The settings that the image itself has. */
export const imageSettings = (): Record<string, string> =>
  Object.fromEntries(
    containerfile()
      .filter(([instruction]) => instruction === 'ENV')
      .flatMap(([, ...pairs]) => pairs.map((pair) => pair.split(/=(.*)/s, 2))),
  )
