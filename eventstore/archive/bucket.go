package archive

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

// bucket is a place in object storage.
type bucket struct {
	client       *minio.Client
	name, prefix string // the prefix is "" or ends with "/"
}

// tries of one request, with the client's own growing pauses between them.
const tries = 5

func openBucket(address, path string, c Credentials) (Place, error) {
	name, prefix, _ := strings.Cut(path, "/")
	if prefix = strings.Trim(prefix, "/"); prefix != "" {
		if err := checkName(prefix); err != nil {
			return nil, &AddressError{redacted(address), "its prefix: " + err.Error()}
		}
		prefix += "/"
	}
	if name == "" || strings.ContainsAny(name, "@:?#") {
		return nil, &AddressError{redacted(address), "it has to be " + scheme + "bucket/prefix, without keys, which are settings of their own"}
	}
	host, secure, err := endpointOf(c)
	if err != nil {
		return nil, err
	}
	transport, err := minio.DefaultTransport(secure)
	if err != nil {
		return nil, &AddressError{redacted(address), err.Error()}
	}
	transport.ResponseHeaderTimeout = callWithin / 2
	client, err := minio.New(host, &minio.Options{
		Creds: credentials.NewStaticV4(c.AccessKey, c.SecretKey, ""), Secure: secure, Region: c.Region,
		MaxRetries: tries, Transport: transport,
	})
	if err != nil {
		return nil, &AddressError{redacted(address), err.Error()}
	}
	return &bucket{client: client, name: name, prefix: prefix}, nil
}

// endpointOf gives the host that is spoken to, and whether the connection is encrypted.
func endpointOf(c Credentials) (host string, secure bool, err error) {
	if c.Endpoint == "" {
		return "s3.amazonaws.com", true, nil
	}
	if strings.Contains(c.Endpoint, "@") {
		return "", false, &AddressError{redacted(c.Endpoint), "an endpoint is a host, or http:// or https:// and a host; keys are settings of their own"}
	}
	if !strings.Contains(c.Endpoint, "://") {
		return c.Endpoint, true, nil
	}
	u, err := url.Parse(c.Endpoint)
	if err != nil || u.Host == "" || u.User != nil || strings.Trim(u.Path, "/") != "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", false, &AddressError{redacted(c.Endpoint), "an endpoint is a host, or http:// or https:// and a host"}
	}
	return u.Host, u.Scheme == "https", nil
}

// String implements Place.
func (b *bucket) String() string { return strings.TrimSuffix(scheme+b.name+"/"+b.prefix, "/") }

// Put implements Place.
func (b *bucket) Put(ctx context.Context, name string, content []byte) error {
	return b.do(ctx, "write", name, func(ctx context.Context, key string) error {
		_, err := b.client.PutObject(ctx, b.name, key, bytes.NewReader(content), int64(len(content)), minio.PutObjectOptions{
			ContentType: "application/vnd.apache.parquet", DisableMultipart: true, SendContentMd5: true,
		})
		return err
	})
}

// Get implements Place.
func (b *bucket) Get(ctx context.Context, name string) (content []byte, err error) {
	err = b.do(ctx, "read", name, func(ctx context.Context, key string) error {
		object, err := b.client.GetObject(ctx, b.name, key, minio.GetObjectOptions{})
		if err != nil {
			return err
		}
		defer object.Close() // has nothing to add to the error below
		content, err = io.ReadAll(object)
		return err
	})
	return content, err
}

// Remove implements Place.
func (b *bucket) Remove(ctx context.Context, name string) error {
	return b.do(ctx, "remove", name, func(ctx context.Context, key string) error {
		return b.client.RemoveObject(ctx, b.name, key, minio.RemoveObjectOptions{})
	})
}

// List implements Place.
func (b *bucket) List(ctx context.Context, prefix string, yield func(Object) bool) error {
	limited, cancel := context.WithTimeoutCause(ctx, listWithin, errSlow)
	defer cancel() // ends the listing if yield has enough
	for o := range b.client.ListObjects(limited, b.name, minio.ListObjectsOptions{Prefix: b.prefix + prefix, Recursive: true}) {
		if o.Err != nil {
			return b.failed(limited, "list", prefix, o.Err)
		}
		if !yield(Object{Name: strings.TrimPrefix(o.Key, b.prefix), Size: o.Size, WrittenAt: o.LastModified}) {
			return nil
		}
	}
	if limited.Err() != nil {
		return b.failed(limited, "list", prefix, limited.Err())
	}
	return nil
}

// do makes a call for an object, in time, and again where the connection broke on the way: the client does that by
// itself until the answer begins.
func (b *bucket) do(ctx context.Context, op, name string, call func(ctx context.Context, key string) error) error {
	if err := checkName(name); err != nil {
		return &Error{Op: op, Place: b.String(), Name: name, Cause: err}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, callWithin, errSlow)
	defer cancel()
	for pause := 100 * time.Millisecond; ; pause *= 2 {
		err := call(ctx, b.prefix+name)
		if err == nil {
			return nil
		}
		if !brokeOff(err) || ctx.Err() != nil {
			return b.failed(ctx, op, name, err)
		}
		select {
		case <-ctx.Done():
			return b.failed(ctx, op, name, err)
		case <-time.After(pause):
		}
	}
}

// brokeOff reports whether an answer was cut short, not refused.
func brokeOff(err error) bool {
	return errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF)
}

func (b *bucket) failed(ctx context.Context, op, name string, err error) error {
	var answer minio.ErrorResponse
	switch {
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	case errors.As(err, &answer) && answer.StatusCode == http.StatusNotFound && answer.Code == minio.NoSuchKey:
		err = ErrNotFound
	}
	return &Error{Op: op, Place: b.String(), Name: name, Cause: err}
}
