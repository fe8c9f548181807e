/**
 * Loaded before a measured process: with SIGUSR2 it collects its garbage and writes into MEMORY_REPORT what stays. Without
 * types, so that the process loads no compiler for this file alone.
 */
import { renameSync, writeFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'
import v8 from 'node:v8'
import vm from 'node:vm'

const report = process.env.MEMORY_REPORT
if (report !== undefined && isMainThread) {
  process.on('SIGUSR2', () => {
    v8.setFlagsFromString('--expose-gc')
    const collect = vm.runInNewContext('gc')
    // What finalizers let go in the first turn goes in the second.
    collect()
    setImmediate(() => {
      collect()
      writeFileSync(`${report}.new`, JSON.stringify(process.memoryUsage()))
      renameSync(`${report}.new`, report)
    })
  })
}
