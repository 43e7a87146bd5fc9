"""The dashboard: a page of ours on 127.0.0.1, and the JSON API that it uses. A face; it holds no logic."""
