import type { AddressInfo } from 'node:net'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { callbackify } from 'node:util'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer, type SMTPServerSession } from 'smtp-server'

/** A mail server on the loopback that accepts emails and delivers none. @param port a free one when left out */
export async function startMailServer(port = 0) {
  /** Emails as the server received them, parsed by another library than the one that wrote them; `raw` as sent. */
  const taken: (Email & { envelopeFrom: string; envelopeTo: string[]; raw: string })[] = []
  /** Refusals by recipient. */
  const refuse = new Map<string, { code: number; text: string }>()

  const take = async (line: Readable, { envelope }: SMTPServerSession): Promise<void> => {
    const raw = await buffer(line)
    const from = envelope.mailFrom
    taken.push({
      ...(await PostalMime.parse(raw)),
      envelopeFrom: from ? from.address : '',
      envelopeTo: envelope.rcptTo.map(({ address }) => address),
      raw: raw.toString('utf8'),
    })
  }

  const server = new SMTPServer({
    disabledCommands: ['STARTTLS', 'AUTH'],
    onRcptTo({ address }, _session, done) {
      const response = refuse.get(address)
      done(response ? Object.assign(new Error(response.text), { responseCode: response.code }) : undefined)
    },
    onData: callbackify(take),
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  server.on('error', () => {})
  const bound = (server.server.address() as AddressInfo).port
  return {
    url: `smtp://127.0.0.1:${bound}`,
    port: bound,
    taken,
    refuse,
    close: () => new Promise<void>((resolve) => server.close(resolve)),
  }
}
