import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { NODE_LIMITS } from '../../tools/run/memory-limits.ts'

const PROGRAM = fileURLToPath(new URL('./thread-limits.test-support.ts', import.meta.url))
const limits = (...args: string[]) =>
  JSON.parse(execFileSync(process.execPath, [...NODE_LIMITS, PROGRAM, ...args], { encoding: 'utf8' })) as {
    ofThread: number
    ofProcess: number
  }

test('a thread keeps its own limits in a process that is started with others', () => {
  const [replaced, left] = [limits(), limits('left')]
  // Whatever Node does with its options, the process itself keeps them.
  expect(left.ofProcess).toBe(replaced.ofProcess)
  expect(left.ofProcess).toBeGreaterThan(700)
  expect(left.ofThread).toBeLessThan(150)
  // Without it the limits of the process count in its threads too.
  expect(replaced.ofThread).toBe(replaced.ofProcess)
})
