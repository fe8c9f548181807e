import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'

const projectDir = path.resolve(import.meta.dirname, '../../..')
const SETTINGS = ['package.json', 'tsconfig.json', '.oxlintrc.json', '.oxfmtrc.json', 'knip.jsonc']

export type Checkout = {
  root: string
  /** Runs a program of node_modules there. */
  run: (program: string, ...args: string[]) => { code: number | null; output: string }
}

/**
 * Lends a small checkout with the real settings of every gate, made of the given files, and removes it afterwards.
 * It lies outside the project, so that no gate of the project ever sees what is broken on purpose.
 */
export async function inCheckout<Result>(
  files: Record<string, string>,
  work: (checkout: Checkout) => Result | Promise<Result>,
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
    return await work({ root, run: (program, ...args) => run(root, program, args) })
  } finally {
    rmSync(nest, { recursive: true, force: true })
  }
}

function run(root: string, program: string, args: string[]): { code: number | null; output: string } {
  const command = path.join(root, '..', 'node_modules', '.bin', program)
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd: root, encoding: 'utf8' })
  if (error) throw error
  return { code: status, output: stdout + stderr }
}
