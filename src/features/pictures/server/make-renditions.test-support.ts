import pino from 'pino'
import { openDatabase } from '#platform/database.ts'
import { makeRenditions } from './make-renditions.ts'

// A worker that a test kills: it makes the first files of a rendition, then it hangs.
const [url = ''] = process.argv.slice(2)
const log = pino({ level: 'silent' })
const { db } = openDatabase({ url, max: 2, log, applicationName: 'worker' })
let steps = 0
await makeRenditions({
  db,
  log,
  processes: {
    encode: async (task) => {
      steps += 1
      if (steps === 1) return task.formats.map((format) => Buffer.from(format))
      process.stdout.write('hangs\n')
      return await new Promise(() => setInterval(() => undefined, 1_000))
    },
  },
})
