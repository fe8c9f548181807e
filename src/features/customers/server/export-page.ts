import type { Language } from '#shared/languages.ts'
import { type ExportBlock, type ExportSection, exportWords } from '#platform/personal-data.ts'
import type { PersonalData } from './read-personal-data.ts'

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escape = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character)

const STYLE = `
:root { color-scheme: light dark; }
body { margin: 0 auto; max-width: 60rem; padding: 1.5rem; font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.75rem; line-height: 1.2; } h2 { margin-top: 2.5rem; border-bottom: 1px solid; font-size: 1.25rem; }
h3 { margin-bottom: 0; font-size: 1.05rem; }
dl { display: grid; grid-template-columns: minmax(8rem, 14rem) 1fr; gap: .25rem 1rem; } dt { opacity: .75; } dd { margin: 0; }
table { width: 100%; border-collapse: collapse; } th, td { padding: .35rem .75rem .35rem 0; text-align: start; vertical-align: top; border-bottom: 1px solid color-mix(in srgb, currentColor 20%, transparent); }
.scroll { overflow-x: auto; } blockquote { margin: .5rem 0; padding-inline-start: 1rem; border-inline-start: 3px solid; white-space: pre-wrap; }
@media (max-width: 34rem) { dl { grid-template-columns: 1fr; } dt { margin-top: .5rem; } }
`

/** @returns undefined for what has nothing to show */
function blockOf(block: ExportBlock): string | undefined {
  if ('heading' in block) return `<h3>${escape(block.heading)}</h3>`
  if ('paragraph' in block) return `<p>${escape(block.paragraph)}</p>`
  if ('quote' in block) {
    const language = block.language === undefined ? '' : ` lang="${block.language}"`
    return `<blockquote${language}>${escape(block.quote)}</blockquote>`
  }
  if ('facts' in block) {
    const shown = block.facts.filter((fact): fact is [string, string] => fact[1] !== null && fact[1] !== '')
    return `<dl>${shown.map(([name, text]) => `<dt>${escape(name)}</dt><dd>${escape(text)}</dd>`).join('')}</dl>`
  }
  if (block.rows.length === 0) return undefined
  const head = block.heads.map((one) => `<th scope="col">${escape(one)}</th>`).join('')
  const rows = block.rows.map(
    (row) => `<tr>${row.map((cell) => `<td>${escape(cell ?? '')}</td>`).join('')}</tr>`,
  )
  return `<div class="scroll"><table><thead><tr>${head}</tr></thead><tbody>${rows.join('')}</tbody></table></div>`
}

/** One page without scripts and without anything to load, in the reader's language. */
export function exportPage(data: PersonalData, language: Language, timeZone: string): string {
  const { say: t, when } = exportWords(language, timeZone)
  const { shop } = data
  const title = t('title', { brand: shop.name })
  const sections = data.sections.flatMap(({ title: name, blocks, isRare }: ExportSection) => {
    const parts = blocks.flatMap((block) => blockOf(block) ?? [])
    if (parts.length === 0 && isRare) return []
    const shown = parts.length === 0 ? `<p>${escape(t('nothing'))}</p>` : parts.join('')
    return [`<section><h2>${escape(name)}</h2>${shown}</section>`]
  })

  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="content-security-policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escape(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<header>
<h1>${escape(title)}</h1>
<p>${escape(t('made', { date: when(data.made_at) ?? '', zone: timeZone }))}</p>
<p>${escape(t('controller', { company: shop.company, address: shop.address, contact: shop.contact }))}</p>
</header>
<main>
${sections.join('\n')}
</main>
</body>
</html>
`
}
