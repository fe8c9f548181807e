/** An event that takes no time of its reader's day. */
export interface CalendarEvent {
  /** The same in every version, so that a calendar replaces what it has. */
  uid: string
  /** When these facts were made; the same for the same facts. */
  stamp: Date
  start: Date
  end: Date
  summary: string
  description: string
  url: string
  isCancelled: boolean
  /** Minutes between the reminder and the start. */
  reminder: number
}

/** Octets of a line without its end (RFC 5545, 3.1). */
const LINE_OCTETS = 75

/** A calendar of one event as RFC 5545 writes it. @param maker the program, for `PRODID` */
export function calendarFile(event: CalendarEvent, maker: string): string {
  const summary = escaped(event.summary)
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    `PRODID:${escaped(maker)}`,
    'BEGIN:VEVENT',
    `UID:${escaped(event.uid)}`,
    `DTSTAMP:${utc(event.stamp)}`,
    `DTSTART:${utc(event.start)}`,
    `DTEND:${utc(event.end)}`,
    `SUMMARY:${summary}`,
    `DESCRIPTION:${escaped(event.description)}`,
    // An address is no text: nothing in it is escaped.
    `URL:${new URL(event.url).href}`,
    `STATUS:${event.isCancelled ? 'CANCELLED' : 'CONFIRMED'}`,
    'TRANSP:TRANSPARENT',
    ...(event.isCancelled
      ? []
      : [
          'BEGIN:VALARM',
          'ACTION:DISPLAY',
          `DESCRIPTION:${summary}`,
          `TRIGGER:-PT${event.reminder}M`,
          'END:VALARM',
        ]),
    'END:VEVENT',
    'END:VCALENDAR',
  ]
  return lines.map((line) => `${folded(line)}\r\n`).join('')
}

/** An instant in UTC: "20261231T190000Z" (3.3.5). */
const utc = (at: Date): string => at.toISOString().replaceAll(/[-:]|\.\d{3}/g, '')

/** A text (3.3.11), where no character ends the line. */
const escaped = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/\r\n?|[\u0085\u2028\u2029]/g, '\n')
    // oxlint-disable-next-line no-control-regex -- those that a text must not contain (3.1)
    .replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f]/g, '')
    .replaceAll(/[\\;,]/g, String.raw`\$&`)
    .replaceAll('\n', String.raw`\n`)

/** Breaks between characters; the space of a continued line counts. */
function folded(line: string): string {
  let lines = ''
  let octets = 0
  for (const character of line) {
    const size = Buffer.byteLength(character)
    if (octets + size > LINE_OCTETS) {
      lines += '\r\n '
      octets = 1
    }
    lines += character
    octets += size
  }
  return lines
}
