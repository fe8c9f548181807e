import { readFileSync } from 'node:fs'
import { type ShopPolicy, shopPolicy } from '#features/draws/server/index.ts'
import { type Config, ConfigFaults } from './config.ts'

/** The witnesses of new draws; null without any. @throws ConfigFaults with what is wrong with the file */
export function readWitnessPolicy({ witnessPolicy: file }: Pick<Config, 'witnessPolicy'>): ShopPolicy | null {
  if (file === undefined) return null
  const fail = (why: string): never => {
    throw new ConfigFaults([`WITNESS_POLICY: ${why}`])
  }
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    return fail(`cannot read ${file} (${(error as NodeJS.ErrnoException).code})`)
  }
  const read = shopPolicy(text)
  return typeof read === 'string'
    ? fail(`expected a policy as https://c2sp.org/tlog-policy has it, found in ${file} ${read}`)
    : read
}
