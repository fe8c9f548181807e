import { translate } from '#i18n/server-translator.ts'
import { pdfBytes, taggedPdf } from '#platform/documents/pdf-document.ts'
import type { Language } from '#shared/languages.ts'
import type { Policy, PolicyBlock } from '../policies.contract.ts'
import { inlineParts, numbered } from '../policies.rules.ts'
import { PAGE_SIZE, type Writer, pageWriter } from './page-writer.ts'

/** Renders the rules as a tagged PDF with bookmarks and page numbers; the same rules give the same bytes. */
export function policyPdf(policy: Policy, language: Language, brand: string): Promise<Buffer> {
  const doc = taggedPdf({
    title: `${policy.title} | ${brand}`,
    brand,
    language,
    date: dateOf(policy),
    size: PAGE_SIZE,
    bufferPages: true,
  })
  const bytes = pdfBytes(doc)
  const tree = doc.struct('Document')
  doc.addStructure(tree)
  const write = pageWriter(doc)

  write.text(tree, 'P', [{ text: brand }], 'brand')
  write.text(tree, 'H1', [{ text: policy.title }], 'title')
  const updated = translate(language, 'policies.updated', { date: policy.updated })
  write.text(tree, 'P', [{ text: updated }], 'note')
  write.text(tree, 'P', inlineParts(policy.lead), 'lead')
  if (policy.summary) {
    const { title, note, points } = policy.summary
    const part = doc.struct('Sect', { title })
    tree.add(part)
    write.text(part, 'H2', [{ text: title }], 'section')
    writeBlock(doc, write, part, { kind: 'facts', facts: points })
    write.text(part, 'P', [{ text: note }], 'note')
    part.end()
  }
  for (const [index, section] of policy.sections.entries()) {
    const title = numbered(index, section.title)
    const part = doc.struct('Sect', { title })
    tree.add(part)
    write.text(part, 'H2', [{ text: title }], 'section')
    doc.outline.addItem(title)
    for (const block of section.blocks) writeBlock(doc, write, part, block)
    part.end()
  }
  tree.end()
  write.footers((page, count) => translate(language, 'policies.page', { page, count }))
  doc.end()
  return bytes
}

function writeBlock(
  doc: PDFKit.PDFDocument,
  write: Writer,
  parent: PDFKit.PDFStructureElement,
  block: PolicyBlock,
): void {
  switch (block.kind) {
    case 'heading':
      write.text(parent, 'H3', [{ text: block.text }], 'heading')
      return
    case 'text':
      write.text(parent, 'P', inlineParts(block.text), 'body')
      return
    case 'list':
    case 'facts': {
      const items = doc.struct('L')
      parent.add(items)
      const rows =
        block.kind === 'facts' ? block.facts : block.items.map((text) => ({ name: undefined, text }))
      for (const { name, text } of rows) {
        const item = doc.struct('LI')
        items.add(item)
        if (name !== undefined) write.text(item, 'Lbl', [{ text: name }], 'name')
        write.text(item, 'LBody', inlineParts(text), name === undefined ? 'item' : 'fact')
        item.end()
      }
      items.end()
    }
  }
}

/** Dated by the texts, so that the bytes depend on nothing else. */
function dateOf({ updated }: Policy): Date {
  const [day, month, year] = updated.split('.').map(Number)
  return new Date(Date.UTC(year ?? 0, (month ?? 1) - 1, day))
}
