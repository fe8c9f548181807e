const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#x27': "'", '#39': "'" }
const text = (html: string): string =>
  html.replaceAll(/&(#?\w+);/g, (whole, name: string) => ENTITIES[name] ?? whole)

const attributes = (tag: string): Record<string, string> =>
  Object.fromEntries(
    [...tag.matchAll(/([\w:-]+)="([^"]*)"/g)].map(([, name = '', value = '']) => [
      name.toLowerCase(),
      text(value),
    ]),
  )

/** Reads the `<head>` of a page as a crawler does, without running anything in it. */
export function readHead(html: string) {
  const head = /<head>(.*?)<\/head>/s.exec(html)?.[1] ?? ''
  const tags = (name: string): Record<string, string>[] =>
    [...head.matchAll(new RegExp(`<${name}\\b[^>]*>`, 'g'))].map(([tag]) => attributes(tag))
  const metas = tags('meta')
  /** Contents of all `<meta>` of a name or property, in their order. */
  const all = (name: string): string[] =>
    metas
      .filter((meta) => meta['name'] === name || meta['property'] === name)
      .map((meta) => meta['content'] ?? '')
  const found = [...head.matchAll(/<script type="application\/ld\+json">(.*?)<\/script>/gs)].map(
    ([, json = '']) => JSON.parse(json) as Record<string, unknown>,
  )
  return {
    title: text(/<title>(.*?)<\/title>/s.exec(head)?.[1] ?? ''),
    all,
    /** The content of the only `<meta>` of a name or property. */
    one: (name: string): string => {
      const contents = all(name)
      if (contents.length !== 1) throw new Error(`${contents.length} times ${name}: ${contents.join(' | ')}`)
      return contents[0] ?? ''
    },
    /** Attributes of all `<link>` of a relation. */
    links: (rel: string) => tags('link').filter((link) => link['rel'] === rel),
    /** Structured data by its type. */
    things: (type: string) => found.filter((thing) => thing['@type'] === type),
  }
}
