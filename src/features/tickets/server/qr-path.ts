import QRCode from 'qrcode'

interface QrPlace {
  x: number
  y: number
  /** Side of the code without its quiet zone. */
  side: number
  color: string
}

/** Draws a QR code as vectors, each horizontal run of dark modules as one rectangle. */
export function drawQr(doc: PDFKit.PDFDocument, content: string, { x, y, side, color }: QrPlace): void {
  const { modules } = QRCode.create(content, { errorCorrectionLevel: 'M' })
  const module = side / modules.size
  for (let row = 0; row < modules.size; row += 1) {
    for (let column = 0; column < modules.size; column += 1) {
      const start = column
      while (column < modules.size && modules.get(row, column)) column += 1
      if (column > start) doc.rect(x + start * module, y + row * module, (column - start) * module, module)
    }
  }
  doc.fill(color)
}
