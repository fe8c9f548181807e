/** A real extension of Chromium, unpacked, and the changes that extensions make to pages. */
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** When a content script of an extension runs: before the page is read, once it is read, or after that. */
const MOMENTS = ['document_start', 'document_end', 'document_idle'] as const

/** Functions without arguments, which know nothing but the page. */
export type ExtensionScripts = Partial<Record<(typeof MOMENTS)[number], () => void>>

/** Writes an extension whose scripts run in every page. */
export function writeExtension(folder: string, scripts: ExtensionScripts): void {
  mkdirSync(folder, { recursive: true })
  const moments = MOMENTS.filter((moment) => scripts[moment])
  const manifest = {
    manifest_version: 3,
    name: 'Changes pages',
    version: '1',
    content_scripts: moments.map((moment) => ({
      matches: ['http://*/*'],
      js: [`${moment}.js`],
      run_at: moment,
      all_frames: true,
      // The window of the provider is not ours.
      exclude_globs: ['*/checkoutnow*'],
    })),
  }
  writeFileSync(path.join(folder, 'manifest.json'), JSON.stringify(manifest))
  for (const moment of moments)
    writeFileSync(path.join(folder, `${moment}.js`), `(${String(scripts[moment])})()`)
}

/** What extensions do as soon as there is a document: attributes, styles, and watching what is read. */
export function changeEarly(): void {
  const { documentElement } = document
  documentElement.setAttribute('data-darkreader-mode', 'dynamic')
  documentElement.classList.add('extension')
  const mark = document.createElement('div')
  mark.className = 'darkreader'
  documentElement.append(mark)
  // A badge beside each heading as soon as it is read.
  new MutationObserver((records) => {
    for (const { addedNodes } of records)
      for (const node of addedNodes)
        if (node instanceof HTMLHeadingElement) {
          const badge = document.createElement('span')
          badge.className = 'badge'
          node.after(badge)
        }
  }).observe(document, { childList: true, subtree: true })
}

/** What password managers, blockers, checkers of spelling and phones do to a page that is read. */
export function changeOnceRead(): void {
  const { body, head } = document
  body.setAttribute('data-gr-ext-installed', '')
  body.setAttribute('cz-shortcut-listen', 'true')
  const bar = document.createElement('div')
  bar.className = 'first-in-body'
  bar.textContent = '.'
  body.prepend(bar)
  body.append(document.createElement('grammarly-desktop-integration'))
  document.documentElement.append(document.createElement('div'))
  head.prepend(document.createElement('link'))
  head.querySelector('meta[name="description"]')?.remove()
  head.querySelector('link[rel="canonical"]')?.remove()
  const title = head.querySelector('title')
  if (title) title.textContent = `(1) ${title.textContent}`
  for (const input of document.querySelectorAll('input, textarea, select')) {
    input.setAttribute('data-lastpass-icon-root', 'true')
    input.after(document.createElement('span'))
  }
  // A field in a box of its own.
  const field = document.querySelector('main input')
  if (field) {
    const box = document.createElement('com-1password-box')
    field.replaceWith(box)
    box.append(field)
  }
  // Dates and numbers become links.
  const texts = document.createTreeWalker(document.querySelector('main') ?? body, NodeFilter.SHOW_TEXT)
  const found: Text[] = []
  while (texts.nextNode())
    if (/\d{2}/.test(texts.currentNode.nodeValue ?? '')) found.push(texts.currentNode as Text)
  for (const text of found.slice(0, 5)) {
    const link = document.createElement('a')
    link.href = 'x-apple-data-detectors://0'
    const number = text.splitText(text.data.search(/\d{2}/))
    number.splitText(2)
    number.replaceWith(link)
    link.append(number)
  }
  // A blocker takes something away, another extension moves something.
  const footer = document.querySelector('footer')
  footer?.querySelector('p')?.remove()
  const [first, second] = document.querySelectorAll('main a')
  if (first && second && !first.contains(second)) second.after(first)
}
