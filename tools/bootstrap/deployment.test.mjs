import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { INSTALL, nodePlaces } from './installation.mjs'
import { blocksOf } from '../../test/support/pages.ts'

/** That the processes start as docs/deployment.md has it: test/http/restarts.test.ts. */
const root = path.resolve(import.meta.dirname, '../..')
const commands = blocksOf('docs/deployment.md').flat()

test('docs/deployment.md installs as the start does, never with npm ci', () => {
  expect(commands).toContain(`npm ${INSTALL.join(' ')}`)
  expect(commands.filter((line) => /npm (ci|clean-install)\b|--ignore-scripts/.test(line))).toEqual([])
})

test('docs/deployment.md builds with the program that the start builds with', () => {
  const { bin } = JSON.parse(
    readFileSync(path.join(root, 'node_modules/@react-router/dev/package.json'), 'utf8'),
  )
  expect(bin['react-router']).toBe('bin.cjs')
  expect(readFileSync(path.join(root, 'tools/run/build.ts'), 'utf8')).toContain(
    "'node_modules/@react-router/dev/bin.cjs'",
  )
  expect(commands).toContain('npx react-router build')
})

test('docs/deployment.md starts the Node that the installation brings', () => {
  const started = commands.filter((line) => line.startsWith('ROLES='))
  expect(started).toHaveLength(3)
  const node = path.relative(root, nodePlaces(root)[0])
  for (const line of started) expect(line).toContain(` ${node} --env-file=.env `)
})
