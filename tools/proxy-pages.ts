/**
 * `npm run proxy-pages`: writes what the example of a reverse proxy (deploy/haproxy/) shows while no process of the
 * shop does, from the catalogues. A test fails while the two differ.
 */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { awayResponse, awayPage } from '#server/pages/plain-pages.ts'
import { LANGUAGES } from '#shared/languages.ts'

const folder = path.resolve(import.meta.dirname, '../deploy/haproxy')
writeFileSync(path.join(folder, 'away.html'), awayPage())
for (const language of LANGUAGES)
  writeFileSync(path.join(folder, `away-${language}.json`), awayResponse(language))
