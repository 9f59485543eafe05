import requests


def verify(server_url):
    state = requests.get(f"{server_url}/api/state").json()
    return state["saved"], "saved" if state["saved"] else "not saved"
