import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import tls from 'node:tls'

export interface Certificate {
  /** The certificate alone: whoever trusts it trusts this run. */
  file: string
  /** Certificate and key in one file, as HAProxy reads them. */
  withKey: string
}

/** Makes a certificate for this machine that nobody knows, and has this process believe it. Needs `openssl`. */
export function throwAwayCertificate(folder: string): Certificate {
  const [key, file, withKey] = ['line.key', 'line.pem', 'line-and-key.pem'].map((name) =>
    path.join(folder, name),
  ) as [string, string, string]
  const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const about = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1']
  execFileSync('openssl', [...request, ...about, '-days', '2', '-keyout', key, '-out', file], {
    stdio: 'ignore',
  })
  const text = readFileSync(file, 'utf8')
  writeFileSync(withKey, text + readFileSync(key, 'utf8'), { mode: 0o600 })
  tls.setDefaultCACertificates([...tls.getCACertificates('default'), text])
  return { file, withKey }
}
