import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { resolveHome } from './home.ts'

test('a copied data folder whose database stays with the original is refused, or begins with an empty one', () => {
  const folder = temporaryFolder()
  // For the server's account, when root runs this.
  chmodSync(folder, 0o711)
  const [database, original, copy] = ['database', 'original', 'copy'].map((name) => path.join(folder, name))
  for (const made of [database, original, copy]) mkdirSync(made ?? '')
  const pointer = JSON.stringify({ folder: database })
  for (const dataDir of [original, copy])
    writeFileSync(path.join(dataDir ?? '', 'postgres-location.json'), pointer)
  writeFileSync(`${database}.owner.json`, JSON.stringify({ dataDir: original }))

  expect(() => resolveHome(copy ?? '')).toThrow(
    `DATA_DIR: ${copy} is a copy of ${original}, and the database in ${database}`,
  )
  const home = resolveHome(copy ?? '', { emptyCopy: true })
  expect([home.copyOf, home.folder]).toEqual([original, path.join(copy ?? '', 'postgres')])
})
