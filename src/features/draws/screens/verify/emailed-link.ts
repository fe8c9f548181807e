import { useSyncExternalStore } from 'react'
import { fromBase64, toHex } from '#draw-protocol/bytes.ts'

const KEPT = /^#kept\.([\w-]{43})\.([\w-]{43})$/

const hashOf = (text: string): string | null => {
  const bytes = fromBase64(`${text.replaceAll('-', '+').replaceAll('_', '/')}=`)
  return bytes?.length === 32 ? toHex(bytes) : null
}

/** Reads `#kept.TERMS.LIST`; null when it is anything else. */
export function parseKept(fragment: string): { termsHash: string; listHash: string } | null {
  const [, terms = '', list = ''] = KEPT.exec(fragment) ?? []
  const [termsHash, listHash] = [hashOf(terms), hashOf(list)]
  return termsHash === null || listHash === null ? null : { termsHash, listHash }
}

function subscribe(changed: () => void): () => void {
  window.addEventListener('hashchange', changed)
  return () => window.removeEventListener('hashchange', changed)
}

/**
 * What an e-mail about a seal says, by its link `/draws/verify?contest=SLUG#kept.TERMS.LIST`; the hashes are sent nowhere.
 * `malformed`: it was meant as one.
 */
export function useEmailedLink(): {
  contest: string | undefined
  hash: string
  emailed: ReturnType<typeof parseKept>
  isMalformed: boolean
} {
  // The server's page is the same for every address.
  const address = useSyncExternalStore(
    subscribe,
    () => window.location.search + window.location.hash,
    () => '',
  )
  const [search = '', fragment = ''] = address.split('#')
  const contest = new URLSearchParams(search).get('contest') ?? undefined
  const hash = fragment.startsWith('kept') ? `#${fragment}` : ''
  const emailed = contest === undefined ? null : parseKept(hash)
  return { contest, hash, emailed, isMalformed: hash !== '' && !emailed }
}
