import { translate } from '#i18n/server-translator.ts'
import type { Language } from '#shared/languages.ts'

export interface EmailShop {
  brand: string
  /** Public address without a trailing slash. */
  publicUrl: string
  contactEmail: string
}

/** A part of an email. All texts are plain and get escaped. */
export type Block =
  | { kind: 'heading' | 'text' | 'note'; text: string }
  /** Text by a user, with its line breaks. */
  | { kind: 'quote'; text: string }
  | { kind: 'button'; label: string; url: string }
  | { kind: 'facts'; facts: readonly Fact[] }
  | { kind: 'plates'; numbers: readonly string[] }
  /** The one number that an email is about, as large as a phone allows. */
  | { kind: 'bigPlate'; number: string }
  /** Leads somewhere else than the email's one button. */
  | { kind: 'link'; label: string; url: string }
  /** What only the plain text says, for programs that show no attached file. */
  | { kind: 'plain'; blocks: readonly Block[] }

/** Above the text. Email programs often hide it until they are asked, so the words never need it. */
export interface EmailPicture {
  /** Of a JPEG of 1200 x 630 pixels at the shop's address: some programs read nothing newer. */
  path: string
  alt: string
}

interface Fact {
  name: string
  text: string
  isStrong?: boolean
}

interface EmailContent {
  language: Language
  subject: string
  /** The first lines in a list of emails. */
  preview: string
  title?: string
  picture?: EmailPicture | undefined
  /** It says that its reader has won. */
  hasWon?: boolean
  blocks: readonly Block[]
}

interface Frame extends EmailShop {
  language: Language
  subject: string
  preview: string
  title: string
  picture: EmailPicture | undefined
  hasWon: boolean
  footer: string
}

/** Writes an email as text and as HTML in the shop's layout, for `enqueueEmail`. */
export function composeEmail(
  shop: EmailShop,
  content: EmailContent,
): { subject: string; text: string; html: string; writtenFor: string } {
  const { language, subject, preview, title = subject, picture, hasWon = false, blocks } = content
  const footer = translate(language, 'emails.footer', { brand: shop.brand, email: shop.contactEmail })
  const frame: Frame = { ...shop, language, subject, preview, title, picture, hasWon, footer }
  const writtenFor = shop.publicUrl
  return { subject, text: emailText(frame, blocks), html: emailHtml(frame, blocks), writtenFor }
}

function emailText(frame: Frame, blocks: readonly Block[]): string {
  const parts = [
    frame.title,
    ...blocks.map((block) => blockText(block, frame.language)),
    `-- \n${frame.footer}\n${frame.brand} · ${frame.publicUrl}`,
  ]
  return `${parts.join('\n\n')}\n`
}

function blockText(block: Block, language: Language): string {
  switch (block.kind) {
    case 'heading':
      return `${block.text}\n${'-'.repeat(Math.min(60, block.text.length))}`
    case 'text':
    case 'note':
      return block.text
    case 'quote':
      return block.text
        .split(/\r\n?|\n/)
        .map((line) => `> ${line}`)
        .join('\n')
    case 'button':
    case 'link':
      return `${block.label}\n${block.url}`
    case 'bigPlate':
      return block.number
    case 'plain':
      return block.blocks.map((one) => blockText(one, language)).join('\n\n')
    case 'facts':
      return block.facts
        .map(({ name, text }) => translate(language, 'emails.fact', { name, text }))
        .join('\n')
    case 'plates':
      return block.numbers.join(' · ')
  }
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Finished HTML; a string is text to escape. */
class Html {
  readonly source: string

  constructor(source: string) {
    this.source = source
  }
}

type Value = string | Html | readonly Html[]

const written = (value: Value): string => {
  if (value instanceof Html) return value.source
  if (typeof value === 'string') return value.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
  return value.map((one) => one.source).join('')
}

/** Escapes texts for elements and quoted attributes. Not called `html`, because formatters would change its spaces. */
const markup = (pieces: TemplateStringsArray, ...values: readonly Value[]): Html =>
  new Html(String.raw({ raw: pieces }, ...values.map(written)))

// Email programs support neither our fonts nor much CSS: tables give the layout, and every element has its own style.
// The classes are for dark mode and paper only. Colours: tokens.css.

const FACE = "font-family:'Helvetica Neue',Helvetica,Arial,sans-serif;"
const INK = 'color:#121417;'
const MUTED = 'color:#585d66;'
const RULE = 'border-bottom:1px solid #d5d1c7;'
/** A hash or an address breaks before it makes the email wider than a phone; older programs know the first name only. */
const BREAKS = 'word-break:break-word;overflow-wrap:anywhere;'
/** Characters of a fact that fit beside its name on a phone. */
const ONE_LINE_MAX = 18
const TABLE = new Html('role="presentation" cellpadding="0" cellspacing="0" border="0"')

const RULES = new Html(`
:root { color-scheme: light dark; supported-color-schemes: light dark; }
@media screen and (prefers-color-scheme: dark) {
  .ground { background: #0b0c0d !important; }
  .head { background: #15171a !important; border-color: #2c3036 !important; }
  .card { background: #15171a !important; border-color: #2c3036 !important; }
  .ink { color: #f3f1ec !important; }
  .muted { color: #a4a9b2 !important; }
  .line { border-color: #2c3036 !important; }
  .sunken { background: #1e2125 !important; }
  .button { background: #3a60ff !important; }
  .link { color: #9db2ff !important; }
}
[data-ogsb] .face { background-color: #f7f7f2 !important; }
[data-ogsb] .band { background-color: #003399 !important; }
[data-ogsc] .figures { color: #14161a !important; }
@media print {
  .head { background: #ffffff !important; border-color: #d5d1c7 !important; } .head a { color: #121417 !important; } .button { display: none !important; }
  .plate, .plate span, .plate td { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
}
@media (max-width: 480px) {
  .card { padding: 24px 20px 28px !important; } .head { padding: 16px 20px !important; }
  .action { width: 100% !important; } .action a { display: block !important; text-align: center !important; }
}
@media (min-width: 560px) { .figures { font-size: 1.7em !important; } .band { padding: 8px 18px !important; font-size: 15px !important; line-height: 17px !important; } }
`)

function emailHtml(frame: Frame, blocks: readonly Block[]): string {
  const { language, subject, preview, title, brand, publicUrl, picture, hasWon, footer } = frame
  const page = markup`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${subject}</title>
<style>${RULES}</style>
</head>
<body class="ground" style="margin:0;padding:0;background:#f5f3ee;${FACE}">
<div style="display:none;max-height:0;overflow:hidden;mso-hide:all;">${preview}</div>
<table ${TABLE} width="100%" class="ground" style="background:#f5f3ee;table-layout:fixed;">
<tr><td align="center" style="padding:24px 12px 40px;">
<table ${TABLE} width="600" style="width:100%;max-width:600px;table-layout:fixed;${BREAKS}">
<tr><td class="head" style="padding:18px 32px;background:#0b0c0d;border:1px solid #0b0c0d;border-bottom:0;border-radius:14px 14px 0 0;">
<a href="${publicUrl}" target="_blank" rel="noopener" style="color:#ffffff;text-decoration:none;font-size:22px;font-weight:800;letter-spacing:-0.01em;">${brand}</a>
</td></tr>
${picture ? pictureRow(publicUrl, picture) : ''}${hasWon ? GOLD_ROW : ''}<tr><td class="card" style="padding:36px 32px;background:#fffdf9;border:1px solid #d5d1c7;border-top:0;border-radius:0 0 14px 14px;">
<h1 class="ink" style="margin:0 0 20px;font-size:26px;line-height:1.2;font-weight:800;letter-spacing:-0.01em;${INK}">${title}</h1>
${blocks.map(block)}
</td></tr>
<tr><td class="muted" style="padding:20px 32px 0;font-size:13px;line-height:1.5;${MUTED}">${footer}</td></tr>
</table>
</td></tr>
</table>
</body>
</html>
`
  return page.source
}

/** Of the width of the email; where programs hide pictures the words in their place look like a heading. */
const pictureRow = (publicUrl: string, { path, alt }: EmailPicture): Html =>
  markup`<tr><td class="picture" bgcolor="#0b0c0d" style="padding:0;background:#0b0c0d;">
<img src="${publicUrl}${path}" alt="${alt}" width="600" height="315" border="0" style="display:block;width:100%;max-width:600px;height:auto;border:0;background:#0b0c0d;color:#ffffff;font-size:16px;line-height:1.5;font-weight:700;text-align:center;">
</td></tr>
`

const GOLD_ROW = markup`<tr><td bgcolor="#e0b23f" height="8" style="padding:0;height:8px;background:#e0b23f;font-size:0;line-height:0;">&nbsp;</td></tr>
`

function block(one: Block): Html {
  switch (one.kind) {
    case 'heading':
      return markup`<h2 class="ink" style="margin:28px 0 10px;font-size:18px;line-height:1.3;font-weight:700;${INK}">${one.text}</h2>\n`
    case 'text':
      return markup`<p class="ink" style="margin:0 0 16px;font-size:16px;line-height:1.6;${INK}">${lines(one.text)}</p>\n`
    case 'note':
      return markup`<p class="muted" style="margin:0 0 12px;font-size:14px;line-height:1.55;${MUTED}">${one.text}</p>\n`
    case 'quote':
      return markup`<blockquote class="sunken ink" style="margin:0 0 16px;padding:16px 20px;background:#eae7df;border-radius:8px;font-size:16px;line-height:1.6;white-space:pre-wrap;${BREAKS}${INK}">${one.text}</blockquote>\n`
    case 'button':
      return button(one.label, one.url)
    case 'facts':
      return markup`<table ${TABLE} width="100%" style="margin:0 0 20px;">\n${facts(one.facts)}</table>\n`
    case 'plates':
      return markup`<p style="margin:0 0 16px;line-height:1;">${one.numbers.map(plate)}</p>\n`
    case 'bigPlate':
      return bigPlate(one.number)
    case 'link':
      return markup`<p style="margin:0 0 16px;font-size:16px;line-height:1.6;"><a class="link" href="${one.url}" target="_blank" rel="noopener" style="color:#0a3fc4;font-weight:700;">${one.label}</a></p>\n`
    case 'plain':
      return new Html('')
  }
}

const button = (label: string, url: string): Html =>
  markup`<table ${TABLE} class="action" style="margin:8px 0 24px;">
<tr><td class="button" bgcolor="#0a3fc4" align="center" style="background:#0a3fc4;border-radius:8px;mso-padding-alt:14px 24px;">
<a href="${url}" target="_blank" rel="noopener" style="display:inline-block;padding:14px 24px;color:#ffffff;font-size:16px;font-weight:700;text-decoration:none;">${label}</a>
</td></tr>
</table>
`

/** A signature keeps its line. */
const lines = (text: string): Html[] =>
  text.split('\n').map((line, at) => (at === 0 ? markup`${line}` : markup`<br>${line}`))

/** Amounts and dates do not wrap; a long id may, and then the names keep their share of the width. */
function facts(rows: readonly Fact[]): Html[] {
  const isShort = ({ text }: Fact): boolean => text.length <= ONE_LINE_MAX
  const width = rows.every(isShort) ? '' : '40%'
  return rows.map((row) => {
    const { name, text, isStrong = false } = row
    const wrap = isShort(row) ? 'white-space:nowrap;' : BREAKS
    const cell = `padding:9px 0;${RULE}font-size:15px;line-height:1.5;${isStrong ? 'font-weight:700;' : ''}`
    return markup`<tr>
<td class="${isStrong ? 'ink' : 'muted'} line" valign="top" width="${width}" style="${cell}padding-right:16px;${isStrong ? INK : MUTED}">${name}</td>
<td class="ink line" valign="top" align="right" style="${cell}${wrap}${INK}">${text}</td>
</tr>
`
  })
}

/** A ticket number as a European number plate, with the same colours in dark mode. */
const plate = (number: string): Html =>
  markup`<span class="plate" style="display:inline-block;margin:0 8px 8px 0;border:1px solid #14161a;border-radius:4px;max-width:100%;overflow:hidden;white-space:nowrap;font-weight:700;font-size:20px;line-height:34px;background:#f7f7f2;"><span aria-hidden="true" style="display:inline-block;padding:0 7px;background:#003399;color:#ffd400;font-size:12px;vertical-align:top;">V</span><span style="display:inline-block;padding:0 12px;color:#14161a;letter-spacing:0.08em;vertical-align:top;">${number}</span></span>`

/** Pixels for the figures of a large plate beside its band, on a phone of 360. */
const FIGURES_WIDTH = 224
const FIGURES_MAX = 88
/** Of a bold figure, by its size, with the space after it. */
const FIGURE_WIDTH = 0.64

/** A table, so that Word, which shows the emails of Outlook, keeps its spaces. */
function bigPlate(number: string): Html {
  const size = Math.min(FIGURES_MAX, Math.floor(FIGURES_WIDTH / (Math.max(1, number.length) * FIGURE_WIDTH)))
  return markup`<table ${TABLE} width="100%" class="plate" style="margin:4px 0 24px;border:2px solid #14161a;border-radius:10px;border-collapse:separate;overflow:hidden;">
<tr>
<td class="band" bgcolor="#003399" width="44" align="center" valign="middle" aria-hidden="true" style="padding:8px 6px;white-space:nowrap;background:#003399;border-radius:7px 0 0 7px;color:#ffd400;font-size:10px;line-height:11px;font-weight:700;">&#9733;&nbsp;&#9733;<br>&#9733;&nbsp;&nbsp;&nbsp;&nbsp;&#9733;<br>&#9733;&nbsp;&#9733;<br><span style="color:#ffffff;font-size:20px;line-height:30px;">V</span></td>
<td class="face" bgcolor="#f7f7f2" align="center" valign="middle" style="padding:8px;background:#f7f7f2;border-radius:0 7px 7px 0;color:#14161a;font-size:${String(size)}px;line-height:1.15;font-weight:800;letter-spacing:0.04em;white-space:nowrap;"><span class="figures" style="color:#14161a;font-size:1em;">${number}</span></td>
</tr>
</table>
`
}
