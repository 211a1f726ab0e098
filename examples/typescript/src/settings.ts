/** What every scenario needs: where the server is, who asks, and the folder that both can read. */
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';

function required(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`Set ${name}: ../serve.sh prints it.`);
  return value;
}

export const url = process.env['STOA_URL'] ?? 'http://127.0.0.1:8000';
export const headers = { Authorization: `Bearer ${required('STOA_TOKEN')}` };
export const shop = process.env['STOA_EXAMPLE_FOLDER'] ?? fileURLToPath(new URL('../../shop', import.meta.url));
/** New in every run: names and idempotency keys are made of it. */
export const key = randomUUID();
