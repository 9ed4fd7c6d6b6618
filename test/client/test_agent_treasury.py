"""What the Python package promises beside the story of a buyer, against a treasury and a seller that run."""

import asyncio
import http.client
import json
import os
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path
from unittest import mock

import httpx

from agent_treasury import TreasuryError, TreasuryTransport, payment_of, treasury_fetch
from agent_treasury._place import Options, locate

SELLER = os.environ["SELLER"]
URL = os.environ["TREASURY_URL"]
DATA = f"{SELLER}/data"


class Buying(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.config = Path(folder.name)
        self.folder = self.config / "agent-treasury" / "requests"
        patch = mock.patch.dict(os.environ, {"XDG_CONFIG_HOME": folder.name, "HOME": folder.name})
        patch.start()
        self.addCleanup(patch.stop)

    def keys(self):
        return [file.name for file in self.folder.iterdir()] if self.folder.exists() else []

    def client(self, **options):
        client = httpx.Client(transport=TreasuryTransport(**options))
        self.addCleanup(client.close)
        return client

    def assertSamePayment(self, one, other):
        self.assertEqual(payment_of(one).payment_id, payment_of(other).payment_id)

    def refused(self, call):
        with self.assertRaises(TreasuryError) as caught:
            call()
        return caught.exception

    def test_two_equal_requests_at_once_are_two_purchases(self):
        both = threading.Barrier(2)
        paid = []

        def buy():
            both.wait()
            with treasury_fetch(f"{SELLER}/slow") as answer:
                answer.read()
                paid.append(payment_of(answer).payment_id)

        threads = [threading.Thread(target=buy) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(set(paid)), 2)
        self.assertEqual(self.keys(), [])

    def test_an_answer_that_was_not_read_comes_again(self):
        with treasury_fetch(DATA) as first:
            first.read(1)
        self.assertEqual(len(self.keys()), 1)
        with treasury_fetch(DATA) as second:
            self.assertEqual(json.loads(second.read()), {"sun": True})
        self.assertSamePayment(first, second)
        client = self.client()
        with client.stream("GET", DATA) as third:
            pass
        fourth = client.get(DATA)
        self.assertSamePayment(third, fourth)
        self.assertNotEqual(payment_of(third).payment_id, payment_of(first).payment_id)
        self.assertEqual(self.keys(), [])

    def test_an_answer_that_nobody_read_is_what_an_equal_later_request_gets(self):
        for path in ("/data", "/whole"):
            answers = [treasury_fetch(SELLER + path) for _ in range(2)]
            self.assertSamePayment(*answers)
            answers[0].read()
            self.assertEqual(len(self.keys()), 1)
            answers[1].close()
            with treasury_fetch(SELLER + path) as third:
                third.read()
            self.assertSamePayment(third, answers[0])
            self.assertEqual(self.keys(), [])

    def test_an_answer_that_broke_off_is_not_whole(self):
        paid = []
        for read in (lambda answer: answer.read(), lambda answer: list(iter(lambda: answer.read(64), b""))):
            with treasury_fetch(f"{SELLER}/cut") as answer:
                with self.assertRaises(http.client.IncompleteRead):
                    read(answer)
                try:
                    answer.read()
                except http.client.HTTPException:
                    pass
                paid.append(payment_of(answer).payment_id)
            self.assertEqual(len(self.keys()), 1)
        self.assertEqual(len(set(paid)), 1)

    def test_a_redirect_that_was_paid_for_is_the_answer(self):
        client = self.client()
        answer = client.get(f"{SELLER}/moved", follow_redirects=True)
        self.assertEqual((answer.status_code, answer.headers["x-treasury-location"], answer.history), (302, DATA, []))
        self.assertNotIn("location", answer.headers)
        self.assertIsNotNone(payment_of(answer))

        async def later():
            async with httpx.AsyncClient(transport=TreasuryTransport(), follow_redirects=True) as client:
                return await client.get(f"{SELLER}/moved")

        self.assertEqual(asyncio.run(later()).status_code, 302)
        self.assertSamePayment(asyncio.run(later()), answer)
        with treasury_fetch(f"{SELLER}/moved?by=urllib") as own:
            self.assertEqual((own.status, own.headers["x-treasury-location"]), (302, DATA))

    def test_an_answer_that_delivers_nothing_is_that_of_equal_requests_for_ten_minutes(self):
        digest = httpx.DigestAuth("user", "password")

        def read(url):
            with treasury_fetch(url) as answer:
                answer.read()
                return answer

        for path in ("/missing?here", "/same", "/unauthorized"):
            for get in (read, lambda url: self.client().get(url, auth=digest)):
                answers = [get(SELLER + path) for _ in range(3)]
                for answer in answers[1:]:
                    self.assertSamePayment(answer, answers[0])
        for file in self.folder.iterdir():
            left = 2 * 86_400 - (time.time() - file.stat().st_mtime)
            self.assertTrue(0 < left <= 600)
            os.utime(file, (0, time.time() - 2 * 86_400 + 60))
        self.assertSamePayment(read(f"{SELLER}/same"), read(f"{SELLER}/same"))
        for file in self.folder.iterdir():
            self.assertTrue(2 * 86_400 - (time.time() - file.stat().st_mtime) <= 60)
            os.utime(file, (0, time.time() - 2 * 86_400 - 1))
        self.assertNotEqual(payment_of(self.client().get(f"{SELLER}/same")).payment_id, payment_of(answers[0]).payment_id)

    def test_a_head_that_is_too_large_is_what_fits(self):
        with treasury_fetch(f"{SELLER}/many") as answer:
            self.assertEqual((answer.status, answer.read()), (200, b"goods"))
        self.assertEqual(self.keys(), [])

    def test_what_cannot_be_sent_is_told_at_once_and_leaves_no_key(self):
        for field, call in (
            ("url", lambda: treasury_fetch(f"{SELLER}/a b")),
            ("url", lambda: treasury_fetch(f"{SELLER}/\u00fc")),
            ("headers", lambda: treasury_fetch(DATA, headers={"x-a": "a\nb"})),
            ("headers", lambda: treasury_fetch(DATA, headers={"x a": "b"})),
            ("headers", lambda: self.client().get(DATA, headers={"x-a": "a\nb"})),
            ("headers", lambda: self.client().get(DATA, headers={"x-a": "a\x01b"})),
        ):
            with self.assertRaisesRegex(ValueError, f"^{field}: "):
                call()
        with self.assertRaisesRegex(http.client.HTTPException, "100 headers"):
            treasury_fetch(f"{SELLER}/free/many")
        self.assertEqual(len(self.keys()), 1)

    def test_another_maximum_is_the_same_purchase(self):
        def bought(**how):
            with treasury_fetch(DATA, **how) as answer:
                return answer

        first = bought(max_amount="0.05")
        self.assertSamePayment(first, bought(max_amount="0.10"))
        self.assertSamePayment(first, bought())
        self.assertEqual(self.refused(lambda: bought(max_amount="0.01")).code, "idempotency_conflict")
        self.assertEqual(len(self.keys()), 1)

    def test_a_multipart_form_needs_a_key(self):
        def sent(**headers):
            return self.client().post(DATA, files={"f": ("a.txt", b"hello")}, headers=headers)

        with self.assertRaisesRegex(ValueError, "Idempotency-Key"):
            sent()
        self.assertEqual(self.keys(), [])
        self.assertEqual(sent(**{"Idempotency-Key": self.id()}).status_code, 200)

    def test_an_agent_and_a_key_belong_together(self):
        agent_id, api_key = os.environ["TREASURY_AGENT_ID"], os.environ["TREASURY_API_KEY"]
        file = self.config / "agent-treasury" / "agent.json"
        file.parent.mkdir()

        def buys(linked, **env):
            file.write_text(json.dumps({"agentId": linked[0], "apiKey": linked[1]}))
            file.chmod(0o600)
            with mock.patch.dict(os.environ, env):
                for name in {"TREASURY_AGENT_ID", "TREASURY_API_KEY"} - env.keys():
                    del os.environ[name]
                return self.client().get(DATA).status_code

        rich = ("rich", "atk_" + "r" * 43)
        for env in ({"TREASURY_AGENT_ID": agent_id}, {"TREASURY_API_KEY": api_key}):
            error = self.refused(lambda env=env: buys(rich, **env))
            self.assertEqual((error.code, error.status), ("unauthorized", None))
            self.assertIn("TREASURY_A", str(error))
            self.assertEqual(buys((agent_id, api_key), **env), 200)
        self.assertEqual(buys((agent_id, api_key)), 200)

    def test_a_caller_keeps_the_key_that_it_names(self):
        headers = {"Idempotency-Key": self.id()}
        answers = [self.client().get(DATA, headers=headers) for _ in range(2)]
        self.assertSamePayment(*answers)
        self.assertEqual(self.keys(), [])

    def test_a_redirect_is_the_sellers_own_address(self):
        answer = self.client().get(f"{SELLER}/free/from", follow_redirects=True)
        self.assertEqual((str(answer.url), answer.text), (f"{SELLER}/free/to", "there"))
        with treasury_fetch(f"{SELLER}/free/from") as own:
            self.assertEqual((own.status, own.headers["location"]), (302, f"{SELLER}/free/to"))

    def test_an_address_is_written_as_the_treasury_writes_its_own(self):
        for given, address in (
            ("https://Treasury.Example.ts.net/", "https://treasury.example.ts.net"),
            ("https://treasury.example.ts.net:443", "https://treasury.example.ts.net"),
            ("https://treasury.example.ts.net:8443", "https://treasury.example.ts.net:8443"),
            ("https://xn--bcher-kva.example", "https://xn--bcher-kva.example"),
            ("https://[2001:db8::1]:8443", "https://[2001:db8::1]:8443"),
            ("http://localhost:4402", "http://127.0.0.1:4402"),
        ):
            self.assertEqual(locate(Options(url=given)), address)
        for wrong in (
            "http://treasury.example.ts.net",
            "https://",
            "https://a/b",
            "https://a//",
            "https://a:b@c",
            "https://a b",
            "https://a\\b",
            "https://a%2eb",
            "https://[::1].evil.example",
            "https://[v1.a]",
            "https://1.2.3",
            "https://b\u00fccher.example",
            "x",
        ):
            error = self.refused(lambda: locate(Options(url=wrong)))
            self.assertEqual((error.code, "TREASURY_URL" in str(error)), ("bad_request", True))

    def test_no_more_than_the_maximum_is_paid(self):
        error = self.refused(lambda: self.client(max_amount="0.001").get(DATA))
        self.assertEqual((error.code, error.status), ("max_per_payment", 402))
        self.assertIn("Ask the owner", error.next_step)
        self.assertEqual(self.client(max_amount="0.001").get(DATA, headers={"X-Treasury-Max-Amount": "1"}).status_code, 200)
        self.assertEqual(self.keys(), [])

    def test_keys_are_bounded_and_end_after_two_days(self):
        self.folder.mkdir(parents=True)
        for at in range(1_000):
            (self.folder / f"{at:064}-{'0' * 32}").touch()
        self.assertEqual(self.refused(lambda: treasury_fetch(DATA)).code, "keys_full")
        for file in self.folder.iterdir():
            os.utime(file, (0, time.time() - 86_460))
        self.assertEqual(self.refused(lambda: treasury_fetch(DATA)).code, "keys_full")
        for file in self.folder.iterdir():
            os.utime(file, (0, time.time() - 2 * 86_400 - 60))
        with treasury_fetch(DATA) as answer:
            self.assertEqual(len(self.keys()), 1)
            answer.read()
        self.assertEqual(self.keys(), [])

    def test_a_key_on_disk_is_private(self):
        with treasury_fetch(DATA):
            (name,) = self.keys()
            self.assertEqual((self.folder / name).stat().st_mode & 0o777, 0o600)

    def test_the_agent_is_that_of_a_linked_machine(self):
        agent_id, api_key = os.environ["TREASURY_AGENT_ID"], os.environ["TREASURY_API_KEY"]
        file = self.config / "agent-treasury" / "agent.json"
        file.parent.mkdir()
        file.write_text(json.dumps({"agentId": agent_id, "apiKey": api_key}))
        file.chmod(0o644)
        with mock.patch.dict(os.environ):
            del os.environ["TREASURY_AGENT_ID"], os.environ["TREASURY_API_KEY"]
            if sys.platform != "win32":
                self.assertIn("can be read by others", str(self.refused(lambda: treasury_fetch(DATA))))
            file.chmod(0o600)
            self.assertEqual(self.client().get(DATA).status_code, 200)
            file.unlink()
            self.assertEqual(self.refused(lambda: treasury_fetch(DATA)).code, "unauthorized")

    def test_a_file_with_the_key_is_private(self):
        file = self.config / "key"
        file.write_text(os.environ["TREASURY_API_KEY"] + "\n")
        with mock.patch.dict(os.environ, {"TREASURY_API_KEY_FILE": str(file)}):
            del os.environ["TREASURY_API_KEY"]
            file.chmod(0o644)
            self.assertIn("chmod 600", str(self.refused(lambda: treasury_fetch(DATA))))
            file.chmod(0o600)
            with treasury_fetch(DATA) as answer:
                self.assertEqual(answer.status, 200)

    def test_a_program_that_does_not_know_the_key_does_not_get_it(self):
        error = self.refused(lambda: self.client(api_key="atk_" + "x" * 43).get(DATA))
        self.assertEqual((error.code, error.status), ("unauthorized", None))
        self.assertIn("The key was not sent", str(error))

    def test_a_treasury_that_does_not_run_is_told(self):
        self.assertEqual(self.refused(lambda: self.client(url="http://127.0.0.1:9").get(DATA)).code, "halted")
        self.assertEqual(self.keys(), [])
        error = self.refused(lambda: self.client(url="http://treasury.example:4402").get(DATA))
        self.assertEqual(error.code, "bad_request")

    def test_a_task_that_is_cancelled_goes_on_with_its_payment(self):
        async def story():
            async with httpx.AsyncClient(transport=TreasuryTransport()) as client:
                with self.assertRaises(asyncio.TimeoutError):
                    await asyncio.wait_for(client.get(f"{SELLER}/slow"), 0.5)
                self.assertEqual(len(self.keys()), 1)
                return await client.get(f"{SELLER}/slow")

        answer = asyncio.run(story())
        self.assertEqual(answer.status_code, 200)
        self.assertEqual(self.keys(), [])
