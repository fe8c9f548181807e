import { AROUND_EVERY_PAGE, MODULES_READY } from '#client/page-modules.ts'

/** Pages whose skeleton the server renders. */
const FILLED_BY_SCRIPTS = /^\/(?:offers\/.|cart$|profile\/)/

/** The page starts after this time without a paint, such as without its stylesheet. */
const LONGEST_WAIT_MS = 2_000

export interface PageScripts {
  /** Nonce of rendering, which identifies our own scripts. */
  mark: string
  path: string
  /** Message files that hydration needs. */
  messages: readonly string[]
  /** Content of small files by address. */
  inlined?: Readonly<Record<string, string>>
}

const PRELOAD = /<link rel="modulepreload"[^>]*?href="([^"]+)"[^>]*>/g
const ROUTE_FILE = /import \* as (route\d+) from "([^"]+)"/g
const ROUTE_NAME = /"([^"]+)":(route\d+)/g
const ENTRY = /import\("([^"]+)"\)/

/** Replaces React Router's script, which loads 120 kB before the first paint, by one that loads later (ADR 0022). */
export function withPageScripts(html: string, { mark, path, messages, inlined = {} }: PageScripts): string {
  // By position: a list of contests has 100 kB, which each pattern would scan.
  const headEnd = html.indexOf('</head>')
  const marked = html.indexOf(' type="module"', headEnd)
  if (headEnd < 0 || marked < 0) throw new Error('the document has no script that starts it')
  const codeStart = html.indexOf('>', marked) + 1
  const codeEnd = html.indexOf('</script>', codeStart)
  const head = html.slice(0, headEnd)
  const code = html.slice(codeStart, codeEnd)
  const files = new Map([...code.matchAll(ROUTE_FILE)].map(([, route, file]) => [route, file!]))
  const routes = [...code.matchAll(ROUTE_NAME)].map(([, name, route]) => ({
    name: name!,
    file: files.get(route!),
  }))
  const entry = ENTRY.exec(code)?.[1]
  if (entry === undefined || routes.some(({ file }) => file === undefined)) {
    throw new Error('React Router starts its pages in another way than this expects')
  }
  const own = routes.filter(({ name }) => !AROUND_EVERY_PAGE.includes(name))
  // The common file contains the modules of these routes.
  const idle = new Set(routes.filter((route) => !own.includes(route)).map(({ file }) => file!))
  if (own.length > 0) idle.add(entry)
  const others = [...head.matchAll(PRELOAD)].map(([, file]) => file!)
  const wanted = [...new Set([...own.map(({ file }) => file!), ...others, ...messages])].filter(
    (file) => !idle.has(file) && !(file in inlined),
  )
  const atOnce = FILLED_BY_SCRIPTS.test(path)
  const names = own.map(({ name }) => name)
  const script = starting(names, wanted, atOnce)
  const preloads = atOnce
    ? wanted.map((file) => `<link rel="modulepreload" fetchpriority="low" href="${file}"/>`).join('')
    : ''
  const carried = others.flatMap((file) => inlined[file] ?? []).join('')
  return [
    head.replaceAll(PRELOAD, ''),
    preloads,
    html.slice(headEnd, html.lastIndexOf('<script', marked)),
    `<script nonce="${mark}" type="module">${carried}${script}`,
    html.slice(codeEnd),
  ].join('')
}

/** @param names routes, whose modules are the first of `files` */
function starting(names: readonly string[], files: readonly string[], atOnce: boolean): string {
  const modules = names.map((name, index) => `${JSON.stringify(name)}:m[${index}]`).join(',')
  const start =
    `const start=()=>Promise.all(${JSON.stringify(files)}.map(f=>import(f)))` +
    `.then(m=>{window.__reactRouterRouteModules={${modules}};dispatchEvent(new Event('${MODULES_READY}'))})`
  if (atOnce) return `${start};start()`
  // A hidden window paints nothing.
  return (
    `let done;${start},once=()=>done||=start();` +
    // Some browsers have no such observer, or forbid it.
    `let paints;try{paints=PerformanceObserver.supportedEntryTypes.includes('paint')}catch{}` +
    `if(document.hidden||!paints)once();` +
    `else{new PerformanceObserver(once).observe({type:'paint',buffered:true});setTimeout(once,${LONGEST_WAIT_MS})}`
  )
}
