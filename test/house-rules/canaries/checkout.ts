import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'

const projectDir = path.resolve(import.meta.dirname, '../../..')
const SETTINGS = ['package.json', 'tsconfig.json']

/**
 * Lends a small checkout with the project's settings, made of the given files, and removes it afterwards.
 * It lies outside the project, so that no gate of the project ever sees what is broken on purpose.
 */
export async function inCheckout<Result>(
  files: Record<string, string>,
  work: (checkout: { root: string }) => Result | Promise<Result>,
): Promise<Result> {
  const nest = mkdtempSync(path.join(os.tmpdir(), 'volant-canary-'))
  const root = path.join(nest, 'checkout')
  try {
    mkdirSync(root)
    // Above the checkout: programs find the packages there and do not take them for files of the checkout.
    symlinkSync(path.join(projectDir, 'node_modules'), path.join(nest, 'node_modules'), 'dir')
    for (const file of SETTINGS) {
      if (existsSync(path.join(projectDir, file)))
        copyFileSync(path.join(projectDir, file), path.join(root, file))
    }
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(path.dirname(path.join(root, file)), { recursive: true })
      writeFileSync(path.join(root, file), text)
    }
    return await work({ root })
  } finally {
    rmSync(nest, { recursive: true, force: true })
  }
}
