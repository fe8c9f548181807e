/** The load process: does one job after the other for its parent. */
import { runBuyers } from './buyers.ts'
import type { Job } from './jobs.ts'
import { runStorm } from './storm.ts'

process.on('message', (job: Job) => {
  const work = job.kind === 'run' ? runBuyers(job) : runStorm(job)
  work.then(
    (outcome) => process.send?.(outcome),
    (error: unknown) => {
      console.error(error)
      process.exit(1)
    },
  )
})
