import { setTimeout as pause } from 'node:timers/promises'
import pino from 'pino'
import { openDatabase } from '#platform/database.ts'
import { moveDueOffers } from './offer-moves.repository.ts'

// A worker of its own process. "hang": it stops before its first commit, for a test that kills it; "work": it goes on and on.
const [url = '', mode = ''] = process.argv.slice(2)
const log = pino({ level: 'silent' })
const { db } = openDatabase({ url, max: 2, log, applicationName: 'worker' })

async function hang(): Promise<void> {
  process.stdout.write('hangs\n')
  await new Promise(() => setInterval(() => undefined, 1_000))
}

for (;;) {
  await moveDueOffers({ db, log, publishTerms: async () => {} }, mode === 'hang' ? hang : undefined)
  await pause(20)
}
