import { readFileSync } from 'node:fs'
import { type StampAuthority, readAuthority } from '#features/draws/server/index.ts'
import { type Config, ConfigFaults } from './config.ts'

/** Who stamps new draws; null for nobody. @throws ConfigFaults with what is wrong with the file of certificates */
export function readStampAuthority({
  stampUrl: url,
  stampCertificates: file,
}: Pick<Config, 'stampUrl' | 'stampCertificates'>): StampAuthority | null {
  if (url === undefined || file === undefined) return null
  const fail = (why: string): never => {
    throw new ConfigFaults([`STAMP_CERTIFICATES: ${why}`])
  }
  let pem: string
  try {
    pem = readFileSync(file, 'utf8')
  } catch (error) {
    return fail(`cannot read ${file} (${(error as NodeJS.ErrnoException).code})`)
  }
  const read = readAuthority(pem, url)
  return typeof read === 'string'
    ? fail(`expected certificates in PEM, and nothing else, found in ${file} ${read}`)
    : read
}
