import { AROUND_EVERY_PAGE, MODULES_READY } from '#client/page-modules.ts'

/** Pages of which the server sends a skeleton: what they show comes by their scripts. */
const FILLED_BY_SCRIPTS = /^\/(?:offers\/.|cart$|profile\/)/

/** No paint within this time, in ms: a stylesheet that does not come must not keep the page asleep. */
const LONGEST_WAIT_MS = 2_000

export interface PageScripts {
  /** The nonce with which the page was rendered: by it our own scripts are told from any other. */
  mark: string
  path: string
  /** Addresses of the files with the page's messages; the browser needs them before it can hydrate. */
  messages: readonly string[]
  /** Files so small that the page carries what stands in them: address and content. */
  inlined?: Readonly<Record<string, string>>
}

const PRELOAD = /<link rel="modulepreload"[^>]*?href="([^"]+)"[^>]*>/g
const ROUTE_FILE = /import \* as (route\d+) from "([^"]+)"/g
const ROUTE_NAME = /"([^"]+)":(route\d+)/g
const ENTRY = /import\("([^"]+)"\)/

/**
 * Replaces how React Router starts a page. Its module script makes a browser load 120 kB with the same priority as the
 * fonts and the first picture, and before the first paint. Here one small script asks for all files of the page at the
 * same time, once the server's page has been painted. A page that is filled by scripts does not wait: its files are
 * asked for in its head, behind what its skeleton is painted with.
 * @throws Error when the document is not as the installed React Router writes it
 */
export function withPageScripts(html: string, { mark, path, messages, inlined = {} }: PageScripts): string {
  // Found by their places: a list of contests is 100 kB, and each pattern would read all of it.
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
  // The files of these only name what the file of every page holds; without a page of its own it is the entry's.
  const idle = new Set(routes.filter((route) => !own.includes(route)).map(({ file }) => file!))
  if (own.length > 0) idle.add(entry)
  const others = [...head.matchAll(PRELOAD)].map(([, file]) => file!)
  const wanted = [...new Set([...own.map(({ file }) => file!), ...others, ...messages])].filter(
    (file) => !idle.has(file) && !(file in inlined),
  )
  const atOnce = FILLED_BY_SCRIPTS.test(path)
  const script = starting(
    own.map(({ name }) => name),
    wanted,
    atOnce,
  )
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

/** @param names routes of the page, whose modules are the first of `files` */
function starting(names: readonly string[], files: readonly string[], atOnce: boolean): string {
  const modules = names.map((name, index) => `${JSON.stringify(name)}:m[${index}]`).join(',')
  const start =
    `const start=()=>Promise.all(${JSON.stringify(files)}.map(f=>import(f)))` +
    `.then(m=>{window.__reactRouterRouteModules={${modules}};dispatchEvent(new Event('${MODULES_READY}'))})`
  if (atOnce) return `${start};start()`
  // Nothing is painted in a window that nobody looks at.
  return (
    `let done;${start},once=()=>done||=start();` +
    `if(document.hidden||!PerformanceObserver.supportedEntryTypes.includes('paint'))once();` +
    `else{new PerformanceObserver(once).observe({type:'paint',buffered:true});setTimeout(once,${LONGEST_WAIT_MS})}`
  )
}
