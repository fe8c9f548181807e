import path from 'node:path'
import { PREVIEW_PATH } from '#features/offers/preview.contract.ts'

const BUILD = path.resolve(import.meta.dirname, '../../../build')

/** A folder of built files that are served under an address. */
export interface BuiltFolder {
  folder: string
  /** With a slash at its end. */
  address: string
  /** The `Cache-Control` of its files. */
  caching: string
}

/** A year: the names contain a hash of the content. */
export const FOR_EVER = 'public, max-age=31536000, immutable'
export const FOR_AN_HOUR = 'public, max-age=3600'

/** The headers of a built file: the worker that checks draws may load the parts of it that few draws need. */
export const fileHeaders = (file: string, caching: string): Record<string, string> => ({
  'cache-control': caching,
  ...(/(?:^|[\\/])verify\.worker-[^\\/]*$/.test(file) && {
    'content-security-policy': "default-src 'none'; script-src 'self'",
  }),
})

/** Folders whose files pages name: a page of one release asks a process of another for them. */
export const builtFolders = (build = BUILD): BuiltFolder[] => [
  { folder: path.join(build, 'client/assets'), address: '/assets/', caching: FOR_EVER },
  { folder: path.join(build, 'client/fonts'), address: '/fonts/', caching: FOR_AN_HOUR },
  { folder: path.join(build, 'console/assets'), address: '/admin/assets/', caching: FOR_EVER },
  { folder: path.join(build, 'preview/assets'), address: `${PREVIEW_PATH}assets/`, caching: FOR_EVER },
]
