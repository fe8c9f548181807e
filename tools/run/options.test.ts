import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'

test.each(['invariants', 'chaos', 'bench-hot', 'bench-pages'])(
  '%s tells how it is used when it is asked for what it does not know',
  (tool) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [`tools/${tool}.ts`, '--anything'], {
      encoding: 'utf8',
    })
    expect([status, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(/^Unknown option '--anything'\nUsage: npm run /)
    expect(stderr).not.toMatch(/^\s+at /m)
  },
)
