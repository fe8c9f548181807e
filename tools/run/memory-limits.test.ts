import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { LIBRARY_LIMITS, NODE_LIMITS } from './memory-limits.ts'

const root = path.resolve(import.meta.dirname, '../..')
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8')
const variables = Object.entries(LIBRARY_LIMITS).map(([name, value]) => `${name}=${value}`)

test.each(['deploy/systemd/volant-web@.service', 'deploy/systemd/volant-worker.service'])(
  '%s starts its process with the limits on memory',
  (file) => {
    const unit = read(file)
    const [, program = ''] = /^ExecStart=\S+ (.*)$/m.exec(unit) ?? []
    expect(program.split(' ').slice(0, NODE_LIMITS.length)).toEqual(NODE_LIMITS)
    for (const one of variables) expect(unit.split('\n')).toContain(`Environment=${one}`)
  },
)

test('the image starts a process with the limits on memory', () => {
  const file = read('Containerfile')
  const [, command = ''] = /^CMD (.*)$/m.exec(file) ?? []
  expect(JSON.parse(command)).toEqual([...NODE_LIMITS, 'tools/run-process.mjs'])
  const [, environment = ''] = /^ENV (.*)$/m.exec(file) ?? []
  expect(environment.split(' ')).toEqual(expect.arrayContaining(variables))
})
