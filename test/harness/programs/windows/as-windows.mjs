// Preloaded into a process of a test, which then takes itself for one on Windows. Native packages are loaded before, since
// each would look for its binary for Windows; LiteSVM has none, and is left to fail.
import '@napi-rs/keyring';
import Database from 'better-sqlite3';

new Database(':memory:').close();
Object.defineProperty(process, 'platform', { value: 'win32' });
