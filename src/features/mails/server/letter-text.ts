import { translate } from '#i18n/server-translator.ts'
import type { Language } from '#shared/languages.ts'
import type { Block, Frame } from './letter.ts'

/** The letter for readers that show no HTML. */
export function letterText(frame: Frame, blocks: readonly Block[]): string {
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
      return `${block.label}\n${block.url}`
    case 'facts':
      return block.facts.map(({ name, text }) => translate(language, 'mail.fact', { name, text })).join('\n')
    case 'plates':
      return block.numbers.join(' · ')
  }
}
