import { readFileSync } from 'node:fs'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '../..')

/** What a page of the project has its reader type or write: its blocks of code, each as its lines. */
export const blocksOf = (page: string): string[][] =>
  [...readFileSync(path.join(root, page), 'utf8').matchAll(/^ *```\n([\s\S]*?)^ *```$/gm)].map(
    ([, block = '']) => block.trimEnd().split('\n'),
  )
