import { fork } from 'node:child_process'
import path from 'node:path'
import { processSeconds } from './processor-time.ts'
import type { Job, OutcomeOf } from './jobs.ts'

/** The buyers, in a process of their own. */
export interface LoadProcess {
  run<Given extends Job>(job: Given): Promise<OutcomeOf<Given>>
  processorSeconds(): number
  close(): void
}

export function startLoad(): LoadProcess {
  const child = fork(path.join(import.meta.dirname, 'load.ts'))
  return {
    run: <Given extends Job>(job: Given) =>
      new Promise<OutcomeOf<Given>>((resolve, reject) => {
        const gone = (): void => reject(new Error('the buyers ended'))
        child.once('exit', gone)
        child.once('message', (message) => {
          child.off('exit', gone)
          resolve(message as OutcomeOf<Given>)
        })
        child.send(job)
      }),
    processorSeconds: () => processSeconds(child.pid),
    close: () => child.disconnect(),
  }
}
