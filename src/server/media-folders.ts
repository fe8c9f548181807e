import { existsSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const DEMO_PICTURES = fileURLToPath(new URL('../../db/demo/pictures', import.meta.url))

/** The folders of pictures, the shop's own first, then that of the demonstration. */
export const mediaFolders = (dataDir: string): string[] =>
  [path.resolve(dataDir, 'media'), DEMO_PICTURES].filter((folder) => existsSync(folder))
