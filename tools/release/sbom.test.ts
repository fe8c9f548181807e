import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { Spec, Validation } from '@cyclonedx/cyclonedx-library'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { sbomOf, withSystem } from './sbom.ts'

const root = path.resolve(import.meta.dirname, '../..')

/** What the schema of CycloneDX finds wrong. */
const faultsOf = (sbom: object): Promise<unknown> =>
  new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(JSON.stringify(sbom))

/** The root of an image with records of packages, as scanners expect them. */
function systemWith(records: Record<string, string>): string {
  const system = temporaryFolder()
  mkdirSync(path.join(system, 'etc'))
  writeFileSync(path.join(system, 'etc/os-release'), 'NAME="Debian"\nVERSION_ID="13"\nID=debian\n')
  mkdirSync(path.join(system, 'var/lib/dpkg/status.d'), { recursive: true })
  for (const [name, text] of Object.entries(records))
    writeFileSync(path.join(system, 'var/lib/dpkg/status.d', name), text)
  return system
}

test('the list has every installed package with version, checksum, licence and what it needs', async () => {
  const sbom = sbomOf(root, '1.0.0-aaaa')
  expect(await faultsOf(sbom)).toBeNull()
  const { packages } = JSON.parse(
    readFileSync(path.join(root, 'node_modules/.package-lock.json'), 'utf8'),
  ) as {
    packages: Record<string, { version: string; integrity: string }>
  }
  const pg = packages['node_modules/pg']!
  expect(sbom.components.find(({ name, group }) => name === 'pg' && group === undefined)).toEqual({
    type: 'library',
    'bom-ref': `pkg:npm/pg@${pg.version}`,
    name: 'pg',
    version: pg.version,
    purl: `pkg:npm/pg@${pg.version}`,
    hashes: [
      { alg: 'SHA-512', content: Buffer.from(pg.integrity.replace('sha512-', ''), 'base64').toString('hex') },
    ],
    licenses: [{ expression: 'MIT' }],
  })
  const versions = new Set(
    Object.keys(packages).map(
      (place) => `${place.replace(/^.*node_modules\//, '')} ${packages[place]!.version}`,
    ),
  )
  expect(sbom.components).toHaveLength(versions.size)
  const sharp = sbom.components.find(({ purl }) => purl?.startsWith('pkg:npm/%40img/sharp-linux'))
  expect(sharp).toMatchObject({ group: '@img', name: expect.not.stringContaining('/') })
  const needed = sbom.dependencies.find(({ ref }) => ref === `pkg:npm/pg@${pg.version}`)?.dependsOn
  expect(needed).toContainEqual(expect.stringMatching(/^pkg:npm\/pg-protocol@/))
  const own = sbom.dependencies.find(({ ref }) => ref === '1.0.0-aaaa')?.dependsOn
  expect(own).toContain(`pkg:npm/pg@${pg.version}`)
})

test('the list of an image has the Debian packages of its root as well', async () => {
  const system = systemWith({
    libc6:
      'Package: libc6\nStatus: install ok installed\nArchitecture: amd64\nVersion: 2.41-12+deb13u1\nDescription: C\n more',
    'libstdc++6': 'Package: libstdc++6\nArchitecture: amd64\nVersion: 14.2.0-19\n',
  })
  const sbom = withSystem(sbomOf(root, '1.0.0-aaaa'), system)
  expect(await faultsOf(sbom)).toBeNull()
  const purls = [
    'pkg:deb/debian/libc6@2.41-12%2Bdeb13u1?arch=amd64&distro=debian-13',
    'pkg:deb/debian/libstdc%2B%2B6@14.2.0-19?arch=amd64&distro=debian-13',
  ]
  expect(sbom.components.filter(({ purl }) => purl?.startsWith('pkg:deb/')).map(({ purl }) => purl)).toEqual(
    purls,
  )
  expect(sbom.dependencies.at(-1)).toEqual({ ref: 'debian-13', dependsOn: purls })
})
