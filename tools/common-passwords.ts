/**
 * Writes src/features/accounts/server/common-passwords.br from the 13,000 most frequent passwords of a list (MIT licence):
 *
 *   npm pack @zxcvbn-ts/language-common@4.1.3 && tar xzf zxcvbn-ts-language-common-4.1.3.tgz
 *   node tools/common-passwords.ts package/src/passwords.json
 */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { PASSWORD_MIN } from '#features/accounts/accounts.rules.ts'

const MOST_FREQUENT = 13_000

const [source] = process.argv.slice(2)
if (!source) {
  console.error('Usage: node tools/common-passwords.ts <passwords.json of @zxcvbn-ts/language-common>')
  process.exit(2)
}
const list = JSON.parse(readFileSync(source, 'utf8')) as string[]
const kept = list
  .slice(0, MOST_FREQUENT)
  .map((word) => word.toLowerCase())
  .filter((word) => word.length >= PASSWORD_MIN)
const target = path.resolve(import.meta.dirname, '../src/features/accounts/server/common-passwords.br')
writeFileSync(target, brotliCompressSync([...new Set(kept)].toSorted().join('\n')))
console.log(`${kept.length} passwords written.`)
