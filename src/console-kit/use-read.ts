import { useEffect, useState } from 'react'
import { useTranslations } from '#i18n/translations.tsx'
import { consoleCall } from './console-call.ts'

interface Read<Payload> {
  response?: Payload
  error?: string
}

/**
 * What a call responds with, asked for by a part of a screen itself, such as a dialog, and again with another address.
 * @param path without one nothing is asked @param version another one asks again
 */
export function useRead<Payload>(path: string | undefined, version = 0): Read<Payload> {
  const t = useTranslations('console.common')
  const unexpected = t('unexpected')
  const [read, setRead] = useState<Read<Payload> & { path: string }>()
  useEffect(() => {
    if (path === undefined) return
    let isCurrent = true
    const show = (found: Read<Payload>): void => {
      if (isCurrent) setRead({ path, ...found })
    }
    consoleCall<Payload>('GET', path).then(
      (response) => show({ response }),
      (error: unknown) => show({ error: error instanceof Error ? error.message : unexpected }),
    )
    return () => {
      isCurrent = false
    }
  }, [path, version, unexpected])
  return read && read.path === path ? read : {}
}
