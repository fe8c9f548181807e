import PDFDocument from 'pdfkit'
import type { Language } from '#shared/languages.ts'

interface DocumentFacts {
  title: string
  brand: string
  language: Language
  /** Of the content: the same content always gives the same bytes. */
  date: Date
  size: [number, number]
  bufferPages?: boolean
}

/** An empty tagged PDF that needs no font of the reader's program. */
export function taggedPdf({
  title,
  brand,
  language,
  date,
  size,
  bufferPages = false,
}: DocumentFacts): PDFKit.PDFDocument {
  const options = {
    size,
    margin: 0,
    bufferPages,
    pdfVersion: '1.7',
    subset: 'PDF/UA',
    tagged: true,
    displayTitle: true,
    lang: language,
    // No standard font: every font is embedded.
    font: null,
    info: {
      Title: title,
      Author: brand,
      Creator: brand,
      Producer: brand,
      CreationDate: date,
      ModDate: date,
    },
  }
  // The library's types lack `subset: 'PDF/UA'` and `font: null`.
  return new PDFDocument(options as unknown as PDFKit.PDFDocumentOptions)
}

/** The bytes of a document, once it has ended. */
export const pdfBytes = (doc: PDFKit.PDFDocument): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    doc.on('data', (chunk: Buffer) => chunks.push(chunk))
    doc.on('end', () => resolve(Buffer.concat(chunks)))
    doc.on('error', reject)
  })
