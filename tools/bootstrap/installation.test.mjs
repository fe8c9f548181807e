import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { outsidePath, whyInstall } from './installation.mjs'

let root
beforeEach(() => {
  root = mkdtempSync(path.join(os.tmpdir(), 'volant-dependencies-'))
  mkdirSync(path.join(root, 'node_modules'))
  lock({
    '': {},
    'node_modules/a': { version: '1.0.0' },
    'node_modules/tool': { version: '2.0.0', dev: true },
  })
})
afterEach(() => rmSync(root, { recursive: true }))

const write = (file, packages) => writeFileSync(path.join(root, file), JSON.stringify({ packages }))
const lock = (packages) => write('package-lock.json', packages)
const installed = (packages) => write('node_modules/.package-lock.json', packages)
const why = (development = true) => whyInstall(root, { development })

test('a fresh clone and an interrupted installation are installed', () => {
  expect(why()).toBe('they are not installed yet')
})

test('what matches the lock file is left alone', () => {
  installed({ 'node_modules/a': { version: '1.0.0' }, 'node_modules/tool': { version: '2.0.0' } })
  expect(why()).toBeUndefined()
})

test('a missing package and another version are noticed', () => {
  installed({ 'node_modules/tool': { version: '2.0.0' } })
  expect(why()).toBe('a is missing')
  installed({ 'node_modules/a': { version: '1.0.1' }, 'node_modules/tool': { version: '2.0.0' } })
  expect(why()).toBe('a is not version 1.0.0')
})

test('the shop starts without the tools of development, the tests do not', () => {
  installed({ 'node_modules/a': { version: '1.0.0' } })
  expect(why(false)).toBeUndefined()
  expect(why(true)).toBe('tool is missing')
})

test('packages of other systems may be missing', () => {
  lock({ 'node_modules/a-darwin': { version: '1.0.0', optional: true } })
  installed({})
  expect(why()).toBeUndefined()
})

test('a damaged lock file is told of', () => {
  writeFileSync(path.join(root, 'package-lock.json'), '{')
  expect(() => why()).toThrow('missing or damaged')
})

test('npm runs without the programs it is about to replace', () => {
  const before = process.env.PATH
  process.env.PATH = [path.join(root, 'node_modules/.bin'), '/usr/bin'].join(path.delimiter)
  expect(outsidePath(root)).toBe('/usr/bin')
  process.env.PATH = before
})
